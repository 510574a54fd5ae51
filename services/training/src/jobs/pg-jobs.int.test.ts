import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { newJob } from './job.fixture.ts'
import type { NewJob } from './job.ts'
import { createPgJobs } from './pg-jobs.ts'

let database: FreshDatabase
let pool: Pool
let operator: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 4 })
  operator = connectPool({ databaseUrl: database.url, max: 2 })
})

afterAll(async () => {
  await pool.end()
  await operator.end()
  await database.drop()
})

const at = new Date('2026-12-02T00:00:00Z')

async function create(more: Partial<NewJob> = {}) {
  const job = newJob(more)
  await createPgJobs(pool).create(job)
  return job
}

/** Brings a job to a state, as workers do. */
async function bring({ id }: NewJob, columns: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(columns)
  const sets = names.map((name, index) => `${name} = $${index + 2}`).join(', ')
  await operator.query(`UPDATE training_job SET ${sets} WHERE id = $1`, [id, ...Object.values(columns)])
}

const paused = { status: 'paused', paused_at: at, held_nano: 0 }

describe('jobs in Postgres', () => {
  it('stores a job and reads it', async () => {
    const job = await create({ maxCostNano: 5_000n })
    const read = await createPgJobs(pool).get(job)
    expect(read).toMatchObject({ ...job, request: { model: 'sim/small' } })
    expect(read).toMatchObject({ status: 'validating_files', holdNumber: 1, durableTokens: null, dataReport: null })
  })

  it('reads no job of another workspace', async () => {
    const { id } = await create()
    expect(await createPgJobs(pool).get({ workspaceId: randomUUID(), id })).toBeNull()
  })

  it('knows the tokens of the last durable checkpoint', async () => {
    const job = await create()
    const add = (step: number, tokens: number, durable: Date | null) =>
      operator.query(
        `INSERT INTO checkpoint (id, job_id, workspace_id, step, attempt, manifest, sha256, bytes, trained_tokens, begun_at,
           durable_at) VALUES (gen_random_uuid(), $1, $2, $3, 1, '[]', '', 1, $4, $5, $6)`,
        [job.id, job.workspaceId, step, tokens, at, durable],
      )
    await add(10, 1_000, at)
    await add(20, 2_000, at)
    await add(30, 3_000, null)
    expect((await createPgJobs(pool).get(job))?.durableTokens).toBe(2_000n)
  })

  it('knows since when and from which step its trainer runs', async () => {
    const job = await create()
    const run = async () => (await createPgJobs(pool).get(job))?.run
    expect(await run()).toBeNull()
    for (const [generation, endedAt] of [
      [1, at],
      [2, null],
    ] as const) {
      await operator.query(
        `INSERT INTO training_attempt (job_id, generation, workspace_id, trainer, started_at, lease_until, ended_at, exit)
         VALUES ($1, $2, $3, 'sim', $4, $4, $5, CASE WHEN $2 = 1 THEN 'stopped' END)`,
        [job.id, generation, job.workspaceId, at, endedAt],
      )
      await operator.query(
        `INSERT INTO checkpoint (id, job_id, workspace_id, step, attempt, manifest, sha256, bytes, trained_tokens, begun_at,
           durable_at) VALUES (gen_random_uuid(), $1, $3, $2 * 10, $2, '[]', '', 1, 1, $4, $4)`,
        [job.id, generation, job.workspaceId, at],
      )
    }
    expect(await run()).toEqual({ since: at, fromStep: 10 })
  })

  it('counts the jobs that have still to read a dataset or file', async () => {
    const [workspaceId, sourceId] = [randomUUID(), randomUUID()]
    const jobs = createPgJobs(pool)
    const count = () => jobs.countReaders({ workspaceId, sourceId })
    const trained = await create({ workspaceId, datasetId: sourceId })
    await create({ workspaceId, datasetId: null, trainingFile: sourceId })
    await create({ workspaceId, evalDatasetId: sourceId })
    await create({ workspaceId, validationFile: sourceId })
    await create({ workspaceId })
    await create({ datasetId: sourceId })
    expect(await count()).toBe(4)
    await bring(trained, { train_sha256: 'ab' })
    expect(await count()).toBe(4)
    await bring(trained, { status: 'queued' })
    expect(await count()).toBe(3)
    await bring(trained, { status: 'cancelled', finished_at: at, train_sha256: null })
    expect(await count()).toBe(3)
  })

  it('lists jobs newest first, by page, status and model', async () => {
    const workspaceId = randomUUID()
    const jobs = createPgJobs(pool)
    const created: NewJob[] = []
    for (const day of [1, 2, 3]) {
      const more = { workspaceId, baseModel: day === 2 ? 'sim/medium' : 'sim/small' }
      created.push(await create({ ...more, createdAt: new Date(`2026-12-0${day}T00:00:00Z`) }))
    }
    const [first, second, third] = created as [NewJob, NewJob, NewJob]
    await bring(first, { status: 'queued' })
    const idsOf = async (filter: object) => (await jobs.list({ workspaceId, limit: 10, ...filter })).map(({ id }) => id)
    expect(await idsOf({})).toEqual([third.id, second.id, first.id])
    expect(await idsOf({ limit: 1, after: third })).toEqual([second.id])
    expect(await idsOf({ status: 'queued' })).toEqual([first.id])
    expect(await idsOf({ model: 'sim/medium' })).toEqual([second.id])
    expect(await idsOf({ workspaceId: randomUUID() })).toEqual([])
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['is checked', { status: 'validating_files' }],
    ['waits', { status: 'queued', waiting_for: 'gpu' }],
    ['is paused', paused],
  ])('cancels a job that %s at once', async (_, columns) => {
    const job = await create()
    await bring(job, columns)
    const cancelled = await createPgJobs(pool).cancel(job, at)
    expect(cancelled).toMatchObject({ status: 'cancelled', finishedAt: at, waitingFor: null, asked: null })
    expect(await createPgJobs(pool).cancel(job, at)).toBeNull()
  })

  it('asks a running job to pause, and to end instead', async () => {
    const jobs = createPgJobs(pool)
    const job = await create()
    expect(await jobs.pause(job)).toBeNull()
    await bring(job, { status: 'running' })
    expect(await jobs.pause(job)).toMatchObject({ status: 'running', asked: 'pause' })
    expect(await jobs.pause(job)).toMatchObject({ status: 'running', asked: 'pause' })
    expect(await jobs.cancel(job, at)).toMatchObject({ status: 'running', asked: 'cancel', finishedAt: null })
    expect(await jobs.pause(job)).toBeNull()
  })

  it('ends the delay before the next step, but not the lease of a worker', async () => {
    const soon = new Date(Date.UTC(2100, 0))
    const leasedUntil = async ({ id }: NewJob) =>
      (await operator.query('SELECT leased_until, wakes FROM training_job WHERE id = $1', [id])).rows[0]
    for (const attempts of [0, 1]) {
      const job = await create()
      await bring(job, { status: 'running', leased_until: soon, attempts })
      await createPgJobs(pool).pause(job)
      expect(await leasedUntil(job)).toEqual({ leased_until: attempts === 0 ? null : soon, wakes: 1 })
    }
  })

  it('resumes a paused job once, with its next hold', async () => {
    const jobs = createPgJobs(pool)
    const job = await create()
    await bring(job, { ...paused, asked: 'pause' })
    const hold = { number: 2, amountNano: 5_000n }
    expect(await jobs.resume(job, { ...hold, number: 3 })).toBeNull()
    expect(await jobs.resume(job, hold)).toMatchObject({
      status: 'queued',
      asked: null,
      heldNano: 5_000n,
      holdNumber: 2,
    })
    expect(await jobs.resume(job, hold)).toBeNull()
  })

  it('does not resume a job that still has a hold', async () => {
    const job = await create()
    await bring(job, { ...paused, held_nano: 1 })
    expect(await createPgJobs(pool).resume(job, { number: 2, amountNano: 1n })).toBeNull()
  })

  it('counts what runs and what waits', async () => {
    const jobs = createPgJobs(pool)
    const before = await jobs.count()
    const [one, two] = [await create({ baseModel: 'sim/counted' }), await create({ trainer: 'counted' })]
    await bring(one, { status: 'queued' })
    await bring(two, { status: 'running' })
    const { running, queued } = await jobs.count()
    expect([before.running.get('counted'), running.get('counted')]).toEqual([undefined, 1])
    expect([before.queued.get('sim/counted'), queued.get('sim/counted')]).toEqual([undefined, 1])
  })
})
