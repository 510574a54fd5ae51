import type { EvalStatus } from '@ratchet/contracts/evals'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import type { WebhookNotice } from '@ratchet/judge-kit/fleet/publish-webhook-event'
import { type EvalDatabase, evalDatabase } from './eval-database.fixture.ts'
import { tellDone } from './notify-done.ts'
import { createPgDoneEvals } from './pg-done-evals.ts'
import { createPgEvals } from './pg-evals.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())
beforeEach(() => database.operator.query('TRUNCATE eval_run CASCADE'))

const now = () => new Date('2026-11-21T12:00:00Z')

/** An eval that ended so many hours ago. */
async function ended(status: EvalStatus = 'DONE', hours = 0): Promise<string> {
  const { id } = await database.create({})
  const lease = await database.leaseEval(id)
  const at = new Date(now().getTime() - hours * 3_600_000)
  await createPgEvals(database.pool).finish(lease, { status, report: null, error: null } as never, at)
  return id
}

/** Tells, with this as the answer; what was told, and of whom nobody will be. */
async function tell(answer: (notice: WebhookNotice) => 'taken' | 'refused') {
  const [told, refused]: [WebhookNotice[], string[]] = [[], []]
  const done = tellDone({
    done: createPgDoneEvals(database.pool),
    async tell(notice) {
      const answered = answer(notice)
      told.push(notice)
      return answered
    },
    onRefused: (id) => refused.push(id),
    now,
  })
  return { told, refused, error: await done.then(() => null).catch((error: Error) => error.message) }
}

const away = () => {
  throw new Error('away')
}

it('tells once of an eval that is done, by right of whoever created it', async () => {
  const id = await ended()
  for (const status of ['FAILED', 'CANCELLED'] as const) await ended(status)
  await database.create({})
  const { workspace_id: workspaceId, created_by: userId, request } = await database.evalRow(id)
  const { name } = JSON.parse(String(request))
  const { told } = await tell(() => 'taken')
  expect(told).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'eval.done',
      timestamp: now(),
      data: { object: 'eval', id: publicId('eval', id), name, status: 'DONE' },
      identity: { ...fleetIdentity, workspaceId, userId, role: 'admin' },
    },
  ])
  expect((await tell(() => 'taken')).told).toEqual([])
  expect(await database.evalRow(id)).toMatchObject({ told_at: now() })
})

it('tells again of what could not be told, under the same id', async () => {
  const ids: string[] = []
  await ended()
  const remember = ({ id }: WebhookNotice) => {
    ids.push(id)
    return away()
  }
  expect(await tell(remember)).toEqual({ told: [], refused: [], error: 'away' })
  expect((await tell(remember)).error).toBe('away')
  expect((await tell(() => 'taken')).told.map(({ id }) => id)).toEqual([ids[0]])
  expect(new Set(ids).size).toBe(1)
})

it('asks no more than a few while nobody listens, and tells of all others when one cannot be told', async () => {
  for (let count = 0; count < 11; count += 1) await ended('DONE', count / 10)
  let asked = 0
  const counting = () => {
    asked += 1
    return away()
  }
  expect((await tell(counting)).error).toBe('away')
  expect(asked).toBe(4)
  let isFirst = true
  const allButOne = (): 'taken' => {
    if (!isFirst) return 'taken'
    isFirst = false
    return away()
  }
  const { told, error } = await tell(allButOne)
  expect([told.length, error]).toEqual([10, 'away'])
  expect((await tell(() => 'taken')).told).toHaveLength(1)
})

it('tells nobody of one that is refused, or older than a day', async () => {
  const [refusedId, oldId] = [await ended(), await ended('DONE', 24.1)]
  expect(await tell(() => 'refused')).toMatchObject({ told: [{ timestamp: now() }], refused: [refusedId], error: null })
  for (const id of [refusedId, oldId]) expect(await database.evalRow(id)).toMatchObject({ told_at: now() })
})
