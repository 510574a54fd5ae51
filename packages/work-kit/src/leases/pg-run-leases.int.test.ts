import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { Lease } from './leased-item.ts'
import { createPgRunLeases } from './pg-run-leases.ts'

interface Job extends Lease {
  readonly attempts: number
}

const leaseMs = 60_000
let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 8 })
  await pool.query(`CREATE TABLE job (id uuid PRIMARY KEY, workspace_id uuid NOT NULL, ended boolean NOT NULL DEFAULT false,
    waits boolean NOT NULL DEFAULT false, generation int NOT NULL DEFAULT 0, attempts int NOT NULL DEFAULT 0,
    leased_until timestamptz, created_at timestamptz NOT NULL DEFAULT clock_timestamp())`)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => pool.query('TRUNCATE job'))

const jobs = () =>
  createPgRunLeases<Job, Job>(pool, { table: 'job', open: 'NOT r.ended', ready: 'NOT r.waits' }, (row) => ({
    id: row.id,
    generation: row.generation,
    attempts: row.attempts,
  }))

const workspaceId = randomUUID()

async function job(more: { ended?: boolean; waits?: boolean; workspace?: string } = {}): Promise<string> {
  const id = randomUUID()
  await pool.query('INSERT INTO job (id, workspace_id, ended, waits) VALUES ($1, $2, $3, $4)', [
    id,
    more.workspace ?? workspaceId,
    more.ended ?? false,
    more.waits ?? false,
  ])
  return id
}

const rowOf = async (id: string) => (await pool.query('SELECT * FROM job WHERE id = $1', [id])).rows[0]

it('leases a run to one worker at a time, and none that has ended', async () => {
  const id = await job()
  const leases = await Promise.all(Array.from({ length: 6 }, () => jobs().lease(id, leaseMs)))
  expect(leases.filter((each) => each !== null)).toEqual([{ id, generation: 1, attempts: 1 }])
  expect(await jobs().lease(await job({ ended: true }), leaseMs)).toBeNull()
})

it('counts failed attempts only', async () => {
  const id = await job()
  for (const [hasFailed, attempts] of [
    [false, 0],
    [true, 1],
    [true, 2],
  ] as const) {
    const leased = await jobs().lease(id, leaseMs)
    await jobs().release({ id, generation: Number(leased?.generation) }, { delayMs: 0, hasFailed })
    expect(await rowOf(id)).toMatchObject({ attempts })
  }
})

it('does not extend a lease that was lost or returned', async () => {
  const id = await job()
  await jobs().lease(id, leaseMs)
  await jobs().renew({ id, generation: 0 }, 10 * leaseMs)
  expect((await rowOf(id)).leased_until.getTime()).toBeLessThan(Date.now() + 2 * leaseMs)
  await pool.query('UPDATE job SET leased_until = NULL')
  await jobs().renew({ id, generation: 1 }, leaseMs)
  expect(await rowOf(id)).toMatchObject({ leased_until: null })
})

it('finds runs that a worker can advance, the oldest first', async () => {
  const [first, second] = [await job(), await job()]
  await job({ waits: true })
  await job({ ended: true })
  await jobs().lease(await job(), leaseMs)
  expect(await jobs().ready(10)).toEqual([first, second])
  expect(await jobs().ready(1)).toEqual([first])
})

it('takes runs of the workspace with the fewest in progress first, up to the maximum of one workspace', async () => {
  const [first, second] = [await job(), await job()]
  await job({ waits: true })
  const other = await job({ workspace: randomUUID() })
  const take = async (limit: number, inProgress: readonly string[], maxOfWorkspace = 9) =>
    (await jobs().take({ limit, inProgress, maxOfWorkspace }, leaseMs)).map(({ id }) => id)
  expect(await take(3, [workspaceId], 1)).toEqual([other])
  expect(await take(1, [])).toEqual([first])
  expect(await take(9, [])).toEqual([second])
  expect(await take(9, [])).toEqual([])
})
