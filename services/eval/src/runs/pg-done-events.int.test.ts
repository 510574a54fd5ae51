import type { EvalStatus } from '@ratchet/contracts/evals'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import { type EvalDatabase, evalDatabase } from './eval-database.fixture.ts'
import { createPgDoneEvents } from './pg-done-events.ts'
import { createPgEvals } from './pg-evals.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())
beforeEach(() => database.operator.query('TRUNCATE eval_run CASCADE'))

const now = () => new Date('2026-11-21T12:00:00Z')

/** An eval that ended this many milliseconds ago. */
async function ended(status: EvalStatus = 'DONE', ageMs = 0): Promise<string> {
  const { id } = await database.create({})
  const lease = await database.leaseEval(id)
  const at = new Date(now().getTime() - ageMs)
  await createPgEvals(database.pool).finish(lease, { status, report: null, error: null } as never, at)
  return id
}

it('the event of an eval that is DONE is pending until it ends, and names the creator', async () => {
  const id = await ended()
  for (const status of ['FAILED', 'CANCELLED'] as const) await ended(status)
  await database.create({})
  const { workspace_id: workspaceId, created_by: userId, request } = await database.evalRow(id)
  const { name } = JSON.parse(String(request))
  const outbox = createPgDoneEvents(database.pool)
  expect(await outbox.pending(4, null)).toEqual([
    {
      id,
      event: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'eval.done',
        timestamp: now(),
        data: { object: 'eval', id: publicId('eval', id), name, status: 'DONE' },
        identity: { ...fleetIdentity, workspaceId, userId, role: 'admin' },
      },
    },
  ])
  await outbox.end([id], now())
  expect(await outbox.pending(4, null)).toEqual([])
  expect(await database.evalRow(id)).toMatchObject({ told_at: now() })
})

it('events are listed page by page, the oldest first, each under an id that stays', async () => {
  for (let count = 0; count < 5; count += 1) await ended('DONE', Math.floor(count / 2))
  const outbox = createPgDoneEvents(database.pool)
  const first = await outbox.pending(2, null)
  const second = await outbox.pending(2, first.at(-1) ?? null)
  const third = await outbox.pending(2, second.at(-1) ?? null)
  const all = [...first, ...second, ...third]
  expect(all.map(({ event }) => now().getTime() - event.timestamp.getTime())).toEqual([2, 1, 1, 0, 0])
  expect(new Set(all.map(({ event }) => event.id)).size).toBe(5)
  expect(await outbox.pending(9, null)).toEqual(all)
})
