import type { EvalStatus } from '@ratchet/contracts/evals'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import type { WebhookNotice } from '@ratchet/judge-kit/fleet/publish-webhook-event'
import { type EvalDatabase, evalDatabase } from './eval-database.fixture.ts'
import { notifyDone } from './notify-done.ts'
import { createPgDoneEvals } from './pg-done-evals.ts'
import { createPgEvals } from './pg-evals.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())
beforeEach(() => database.operator.query('TRUNCATE eval_run CASCADE'))

const now = () => new Date('2026-11-21T12:00:00Z')

/** An eval that ended this many hours ago. */
async function ended(status: EvalStatus = 'DONE', hours = 0): Promise<string> {
  const { id } = await database.create({})
  const lease = await database.leaseEval(id)
  const at = new Date(now().getTime() - hours * 3_600_000)
  await createPgEvals(database.pool).finish(lease, { status, report: null, error: null } as never, at)
  return id
}

/** Publishes with this answer of the alias service. Returns the accepted notices and the refused evals. */
async function publishAll(answer: (notice: WebhookNotice) => 'taken' | 'refused') {
  const [sent, refused]: [WebhookNotice[], string[]] = [[], []]
  const done = notifyDone({
    done: createPgDoneEvals(database.pool),
    async publish(notice) {
      const answered = answer(notice)
      sent.push(notice)
      return answered
    },
    onRefused: (id) => refused.push(id),
    now,
  })
  return { sent, refused, error: await done.then(() => null).catch((error: Error) => error.message) }
}

const unavailable = () => {
  throw new Error('unavailable')
}

it('publishes once for an eval that is DONE, with the identity of its creator', async () => {
  const id = await ended()
  for (const status of ['FAILED', 'CANCELLED'] as const) await ended(status)
  await database.create({})
  const { workspace_id: workspaceId, created_by: userId, request } = await database.evalRow(id)
  const { name } = JSON.parse(String(request))
  const { sent } = await publishAll(() => 'taken')
  expect(sent).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'eval.done',
      timestamp: now(),
      data: { object: 'eval', id: publicId('eval', id), name, status: 'DONE' },
      identity: { ...fleetIdentity, workspaceId, userId, role: 'admin' },
    },
  ])
  expect((await publishAll(() => 'taken')).sent).toEqual([])
  expect(await database.evalRow(id)).toMatchObject({ told_at: now() })
})

it('retries a failed notice under the same id', async () => {
  const ids: string[] = []
  await ended()
  const remember = ({ id }: WebhookNotice) => {
    ids.push(id)
    return unavailable()
  }
  expect(await publishAll(remember)).toEqual({ sent: [], refused: [], error: 'unavailable' })
  expect((await publishAll(remember)).error).toBe('unavailable')
  expect((await publishAll(() => 'taken')).sent.map(({ id }) => id)).toEqual([ids[0]])
  expect(new Set(ids).size).toBe(1)
})

it('makes few calls while the alias service is unavailable, and sends all other notices when one fails', async () => {
  for (let count = 0; count < 11; count += 1) await ended('DONE', count / 10)
  let calls = 0
  const counting = () => {
    calls += 1
    return unavailable()
  }
  expect((await publishAll(counting)).error).toBe('unavailable')
  expect(calls).toBe(4)
  let isFirst = true
  const allButOne = (): 'taken' => {
    if (!isFirst) return 'taken'
    isFirst = false
    return unavailable()
  }
  const { sent, error } = await publishAll(allButOne)
  expect([sent.length, error]).toEqual([10, 'unavailable'])
  expect((await publishAll(() => 'taken')).sent).toHaveLength(1)
})

it('does not retry a refused notice, and sends none after a day', async () => {
  const [refusedId, oldId] = [await ended(), await ended('DONE', 24.1)]
  expect(await publishAll(() => 'refused')).toMatchObject({
    sent: [{ timestamp: now() }],
    refused: [refusedId],
    error: null,
  })
  for (const id of [refusedId, oldId]) expect(await database.evalRow(id)).toMatchObject({ told_at: now() })
})
