import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { newJob } from './job.fixture.ts'
import { createPgJobs } from './pg-jobs.ts'
import { createPgProgress } from './pg-progress.ts'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 8 })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

const at = new Date('2026-12-02T00:00:00Z')

async function createJob() {
  const { id: jobId, workspaceId } = await createPgJobs(pool).create(newJob())
  return { jobId, workspaceId }
}

describe('progress in Postgres', () => {
  it('numbers events in their order, also those that are added at once', async () => {
    const [progress, job] = [createPgProgress(pool), await createJob()]
    const add = (message: string) =>
      progress.addEvent(job, {
        id: randomUUID(),
        level: 'info',
        type: 'message',
        message,
        data: { a: 1 },
        createdAt: at,
      })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(add))
    const events = await progress.eventsAfter(job, 0, 10)
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    expect(events.map(({ message }) => message).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(events[0]).toMatchObject({ level: 'info', type: 'message', data: { a: 1 }, createdAt: at })
    expect((await progress.eventsAfter(job, 3, 1)).map(({ seq }) => seq)).toEqual([4])
    expect((await progress.eventsBefore(job, null, 2)).map(({ seq }) => seq)).toEqual([5, 4])
    expect((await progress.eventsBefore(job, 3, 10)).map(({ seq }) => seq)).toEqual([2, 1])
    expect(await progress.placeOf(job, events[2]?.id ?? '')).toBe(3)
    expect(await progress.placeOf({ ...job, workspaceId: randomUUID() }, events[2]?.id ?? '')).toBeNull()
  })

  it('shows durable checkpoints that can be served, the last one first', async () => {
    const [progress, job] = [createPgProgress(pool), await createJob()]
    const add = async (step: number, durableAt: Date | null, servable: boolean) => {
      const id = randomUUID()
      await pool.query(
        `INSERT INTO checkpoint (id, job_id, workspace_id, step, attempt, manifest, sha256, bytes, trained_tokens, metrics,
           servable, begun_at, durable_at) VALUES ($1, $2, $3, $4, 1, '[]', 'ab', 10, 100, '{"train_loss":1.5}', $5, $6, $7)`,
        [id, job.jobId, job.workspaceId, step, servable, at, durableAt],
      )
      return id
    }
    await add(1, at, true)
    const second = await add(2, at, true)
    await add(3, at, false)
    await add(4, null, true)
    const steps = async (before: number | null) => (await progress.checkpoints(job, before, 10)).map(({ step }) => step)
    expect(await steps(null)).toEqual([2, 1])
    expect(await steps(2)).toEqual([1])
    expect(await progress.stepOf(job, second)).toBe(2)
    expect(await progress.stepOf(job, randomUUID())).toBeNull()
    expect((await progress.checkpoints(job, null, 1))[0]).toEqual({
      id: second,
      step: 2,
      metrics: { train_loss: 1.5 },
      trainedTokens: 100,
      versionName: null,
      sha256: 'ab',
      bytes: 10,
      durableAt: at,
    })
  })

  it('reads metrics by step', async () => {
    const [progress, job] = [createPgProgress(pool), await createJob()]
    for (const step of [2, 1, 3]) {
      const text = `INSERT INTO training_metric (job_id, step, workspace_id, at, "values") VALUES ($1, $2, $3, $4, $5)`
      await pool.query(text, [job.jobId, step, job.workspaceId, at, JSON.stringify({ train_loss: step })])
    }
    const all = { fromStep: 2, names: null, limit: 10 }
    expect(await progress.metrics(job, all)).toEqual([
      { step: 2, at, values: { train_loss: 2 } },
      { step: 3, at, values: { train_loss: 3 } },
    ])
  })

  it('reads a part of the metrics of many steps, of those that have a name', async () => {
    const [progress, job] = [createPgProgress(pool), await createJob()]
    const text = `INSERT INTO training_metric (job_id, step, workspace_id, at, "values")
      SELECT $1, step, $2, $3, CASE WHEN step % 10 = 0 THEN '{"train_loss":1,"valid_loss":2}' ELSE '{"train_loss":1}' END
      FROM generate_series(1, 1000) AS step`
    await pool.query(text, [job.jobId, job.workspaceId, at])
    const steps = async (names: string[] | null, limit: number) =>
      (await progress.metrics(job, { fromStep: 1, names, limit })).map(({ step }) => step)
    expect(await steps(null, 5)).toEqual([1, 251, 501, 751, 1_000])
    expect(await steps(null, 1_000)).toHaveLength(1_000)
    expect(await steps(['valid_loss', 'other'], 4)).toEqual([10, 340, 670, 1_000])
    expect(await steps(['other'], 4)).toEqual([])
    for (const limit of [2, 3, 7, 333, 999]) expect((await steps(null, limit)).length).toBeLessThanOrEqual(limit)
  })
})
