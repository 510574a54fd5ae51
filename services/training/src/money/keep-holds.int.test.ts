import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { JobHold } from './job-money.ts'
import { keepHolds } from './keep-holds.ts'
import { createPgHeldJobs } from './pg-held-jobs.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 2 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(async () => {
  const operator = connectPool({ databaseUrl: database.url, max: 1 })
  await operator.query('DELETE FROM training_job')
  await operator.end()
})

async function addJobs(workspaceId: string, count: number, { heldNano = 100n, status = 'running' } = {}) {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO training_job (id, workspace_id, status, base_model, method, trainer, seed, request, training_file,
       price_nano_per_mtok, total_tokens, estimated_cost_nano, held_nano, hold_number, created_by, created_at, finished_at)
     SELECT gen_random_uuid(), $1, $4::training_job_status, 'sim/large', 'supervised', 'sim', 1, '{}', gen_random_uuid(), 1, 1,
       1, $3, 2, $1, now(), CASE WHEN $4 = 'running' THEN NULL ELSE now() END
     FROM generate_series(1, $2) RETURNING id`,
    [workspaceId, count, heldNano, status],
  )
  return rows.map(({ id }) => id)
}

interface Ledger {
  /** Jobs whose holds are not open, with what the ledger answers when they are taken again. */
  readonly ended?: Readonly<Record<string, boolean | ServiceError>>
  /** A workspace that fails. */
  readonly broken?: string
}

async function keep({ ended = {}, broken = '' }: Ledger = {}) {
  const [kept, taken, lost, errors]: [JobHold[], [string, bigint][], string[], unknown[]] = [[], [], [], []]
  await keepHolds({
    jobs: createPgHeldJobs(pool),
    money: {
      async keep(workspaceId, holds) {
        if (workspaceId === broken) throw new Error('unavailable')
        if (holds.length > 1_000) throw new RangeError('too many')
        kept.push(...holds)
        return holds.filter(({ jobId }) => jobId in ended)
      },
      async hold({ jobId }, amountNano) {
        taken.push([jobId, amountNano])
        const answer = ended[jobId] ?? false
        if (answer instanceof ServiceError) throw answer
        return answer
      },
    },
    onLost: ({ jobId }) => lost.push(jobId),
    onError: (error) => errors.push(error),
  })
  return { kept, taken, lost, errors }
}

it('keeps the holds of all jobs that have one, also of a finished one, and of no others', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  const held = [
    ...(await addJobs(first, 1_200)),
    ...(await addJobs(second, 2)),
    ...(await addJobs(second, 1, { status: 'succeeded' })),
  ]
  await addJobs(second, 3, { heldNano: 0n })
  const { kept, taken, lost, errors } = await keep()
  expect(kept.map(({ jobId }) => jobId).sort()).toEqual([...held].sort())
  expect(kept.find(({ jobId }) => jobId === held[0])).toEqual({
    workspaceId: first,
    jobId: held[0],
    holdNumber: 2,
    createdBy: first,
    model: 'sim/large',
    heldNano: 100n,
  })
  expect([taken, lost, errors]).toEqual([[], [], []])
})

it('takes holds again that are not open, reports those that cannot be, and goes on when a workspace fails', async () => {
  const [broken, sound] = [randomUUID(), randomUUID()]
  await addJobs(broken, 2)
  const [open = '', again = '', poor = '', settled = ''] = (await addJobs(sound, 4)).sort()
  const conflict = new ServiceError('conflict', 'The hold was settled.')
  const ended = { [again]: true, [poor]: false, [settled]: conflict }
  const { kept, taken, lost, errors } = await keep({ ended, broken })
  expect(kept.map(({ jobId }) => jobId)).toEqual([open, again, poor, settled])
  expect(taken).toEqual([again, poor, settled].map((jobId) => [jobId, 100n]))
  expect([lost, errors]).toEqual([[poor, settled], [expect.any(Error)]])
})
