import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { newJob } from '../jobs/job.fixture.ts'
import type { TrainingJob } from '../jobs/job.ts'
import { createPgJobs } from '../jobs/pg-jobs.ts'
import type { ArtifactRows } from './artifact-rows.ts'
import { fillStorage } from './fill-storage.fixture.ts'
import { createPgArtifactRows } from './pg-artifact-rows.ts'
import { sweepArtifacts } from './sweep-artifacts.ts'

let database: FreshDatabase
let operator: Pool
let pool: Pool
let rows: ArtifactRows

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 2 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 4 })
  rows = createPgArtifactRows(pool)
})
beforeEach(async () => {
  await operator.query('TRUNCATE artifact_reference, artifact')
})
afterAll(async () => {
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

const dayMs = 86_400_000
const content = (digit: string) => ({ sha256: digit.repeat(64), bytes: 10 })
const holder = () => ({ id: randomUUID(), workspaceId: randomUUID() })
const makeOld = () => operator.query(`UPDATE artifact SET created_at = created_at - interval '2 days'`)

async function checkpointOf(job: Pick<TrainingJob, 'id' | 'workspaceId'>, step: number, durableAt: Date | null) {
  const id = randomUUID()
  await pool.query(
    `INSERT INTO checkpoint (id, job_id, workspace_id, step, attempt, manifest, sha256, bytes, trained_tokens, begun_at,
       durable_at) VALUES ($1, $2, $3, $4, 1, '[]', '', 1, 1, now(), $5)`,
    [id, job.id, job.workspaceId, step, durableAt],
  )
  return { id, workspaceId: job.workspaceId }
}

async function sweep(): Promise<readonly string[]> {
  const removed: string[] = []
  await rows.sweep({ unneededMs: dayMs, limit: 10, remove: async (sha256) => void removed.push(sha256) })
  return removed
}

it('removes what nothing has needed for a day, once', async () => {
  await rows.add([content('a'), content('b'), content('a')])
  await rows.refer(holder(), [content('b')])
  expect(await sweep()).toEqual([])
  await makeOld()
  expect(await sweep()).toEqual([content('a').sha256])
  expect(await sweep()).toEqual([])
})

it('keeps what one of several holders needs', async () => {
  const [first, second] = [holder(), holder()]
  await rows.add([content('a')])
  await rows.refer(first, [content('a')])
  await rows.refer(second, [content('a')])
  await makeOld()
  await operator.query('DELETE FROM artifact_reference WHERE holder = $1', [first.id])
  expect(await sweep()).toEqual([])
  await operator.query('DELETE FROM artifact_reference WHERE holder = $1', [second.id])
  expect(await sweep()).toEqual([content('a').sha256])
})

it('keeps what is about to be used again for another day', async () => {
  await rows.add([content('a')])
  await makeOld()
  await rows.add([content('a')])
  expect(await sweep()).toEqual([])
})

it('knows what a workspace has, and the size that was measured, whatever was announced before', async () => {
  const [first, second] = [holder(), holder()]
  await rows.add([content('a'), content('b')])
  await rows.refer(first, [content('a')])
  const known = ({ workspaceId }: typeof first) => rows.ofWorkspace(workspaceId, [content('a'), content('b')])
  expect([...(await known(first))]).toEqual([content('a').sha256])
  expect([...(await known(second))]).toEqual([])
  await rows.add([{ ...content('a'), bytes: 30 }])
  await rows.refer(second, [{ ...content('b'), bytes: 20 }])
  expect((await operator.query('SELECT bytes::int FROM artifact ORDER BY sha256')).rows).toEqual([
    { bytes: 10 },
    { bytes: 20 },
  ])
})

it('gives up what jobs needed that have ended, but not what their durable checkpoints consist of', async () => {
  const statuses = ['succeeded', 'failed', 'cancelled', 'paused', 'running'] as const
  const left: string[] = []
  for (const [index, status] of statuses.entries()) {
    await operator.query('TRUNCATE artifact_reference, artifact')
    const job = await createPgJobs(pool).create(newJob())
    await operator.query(
      `UPDATE training_job SET status = $2::training_job_status, paused_at = CASE WHEN $2 = 'paused' THEN now() END,
         finished_at = CASE WHEN $3 THEN now() END WHERE id = $1`,
      [job.id, status, index < 3],
    )
    const checkpoint = (step: number, durableAt: Date | null) => checkpointOf(job, step, durableAt)
    await rows.add([content('a'), content('b'), content('c')])
    await rows.refer(job, [content('a')])
    await rows.refer(await checkpoint(1, new Date()), [content('b')])
    await rows.refer(await checkpoint(2, null), [content('c')])
    const artifacts = { delete: async () => undefined, sweepUploads: async () => undefined }
    await makeOld()
    await sweepArtifacts({ artifacts, rows, now: () => new Date() })
    const found = await operator.query('SELECT sha256 FROM artifact ORDER BY 1')
    left.push(found.rows.map(({ sha256 }) => sha256[0]).join(''))
  }
  expect(left).toEqual(['b', 'b', 'b', 'abc', 'abc'])
})

it('counts the examples of a job as stored bytes for as long as they are stored, and no checkpoint', async () => {
  const job = await createPgJobs(pool).create(newJob())
  const counted = async () => {
    const text = 'SELECT sum(bytes)::int AS bytes FROM stored_bytes WHERE workspace_id = $1'
    return (await operator.query<{ bytes: number | null }>(text, [job.workspaceId])).rows[0]?.bytes ?? 0
  }
  const artifacts = { delete: async () => undefined, sweepUploads: async () => undefined }
  const sweepAll = () => sweepArtifacts({ artifacts, rows, now: () => new Date() })
  await rows.add([content('a'), content('b'), content('c')])
  await rows.refer(job, [content('a'), content('b')])
  await rows.refer(job, [content('a')])
  await rows.refer(await checkpointOf(job, 1, new Date()), [content('c')])
  expect(await counted()).toBe(20)
  await operator.query(`UPDATE training_job SET status = 'cancelled', finished_at = now() WHERE id = $1`, [job.id])
  await sweepAll()
  expect(await counted()).toBe(20)
  await makeOld()
  await sweepAll()
  expect(await counted()).toBe(0)
})

it('refuses examples beyond the storage of the workspace', async () => {
  const job = await createPgJobs(pool).create(newJob())
  const large = { ...content('a'), bytes: 11 * 1_024 ** 3 }
  await rows.add([large])
  await operator.query(
    `INSERT INTO workspace (id, slug, name, created_at) VALUES ($1::uuid, $1::text, 'Large', now()) ON CONFLICT DO NOTHING`,
    [job.workspaceId],
  )
  await expect(rows.refer(job, [large])).rejects.toMatchObject({ code: 'quota_exceeded' })
  expect([...(await rows.ofWorkspace(job.workspaceId, [large]))]).toEqual([])
})

it('lets nobody begin to use what is being removed', async () => {
  await rows.add([content('a')])
  await makeOld()
  const order: string[] = []
  const begun = Promise.withResolvers<void>()
  const sweeping = rows.sweep({
    unneededMs: dayMs,
    limit: 10,
    remove: async () => {
      begun.resolve()
      // The row is locked: this statement of another connection waits for the lock until its own limit.
      const add = operator.query(`SET lock_timeout = '50ms'; UPDATE artifact SET created_at = now()`)
      await add.catch(() => order.push('waits'))
      order.push('removed')
    },
  })
  await begun.promise
  await sweeping
  await operator.query('RESET lock_timeout')
  await rows.add([content('a')])
  expect(order).toEqual(['waits', 'removed'])
  expect((await operator.query('SELECT * FROM artifact')).rows).toHaveLength(1)
})

it('keeps the row of content that could not be removed', async () => {
  await rows.add([content('a')])
  await makeOld()
  const artifacts = {
    delete: () => Promise.reject(new Error('the bucket is away')),
    sweepUploads: async () => undefined,
  }
  await expect(sweepArtifacts({ artifacts, rows, now: () => new Date() })).rejects.toThrow('the bucket is away')
  expect(await sweep()).toEqual([content('a').sha256])
})

it('counts what a workspace imports, as other bytes that it stores', async () => {
  const imported = holder()
  await fillStorage(operator, imported.workspaceId, 15)
  await rows.add([content('a'), content('b')])
  await rows.refer(imported, [content('a')])
  await expect(rows.refer(imported, [content('b')])).rejects.toMatchObject({ code: 'quota_exceeded' })
  await operator.query('DELETE FROM artifact_reference WHERE holder = $1', [imported.id])
  await rows.refer({ ...imported, id: randomUUID() }, [content('b')])
})
