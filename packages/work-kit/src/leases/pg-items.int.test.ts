import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { LeasedItem } from './leased-item.ts'
import { createPgItems } from './pg-items.ts'

interface Task extends LeasedItem {
  readonly title: string
}

const leaseMs = 60_000
let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 8 })
  await pool.query(`CREATE TABLE project (id uuid PRIMARY KEY, running boolean NOT NULL, title text NOT NULL)`)
  await pool.query(`CREATE TABLE task (id uuid PRIMARY KEY, project_id uuid NOT NULL, place int NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'pending', generation int NOT NULL DEFAULT 0, attempts int NOT NULL DEFAULT 0,
    failures int NOT NULL DEFAULT 0, due_at timestamptz NOT NULL DEFAULT now(), last_error text, result text)`)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => pool.query('TRUNCATE task, project'))

const items = () =>
  createPgItems<Task, Task>(
    pool,
    {
      table: 'task',
      requires: { from: 'project p', where: 'p.id = t.project_id AND p.running' },
      leased: 't.id, t.generation, t.failures, p.title',
      completed: `state = 'done', result = $3`,
      deadLettered: `result = 'error'`,
      thenBy: 't.place',
    },
    (row) => row,
  )

async function task({ isRunning = true, place = 0 } = {}): Promise<string> {
  const [id, projectId] = [randomUUID(), randomUUID()]
  await pool.query(`INSERT INTO project VALUES ($1, $2, 'project')`, [projectId, isRunning])
  await pool.query(`INSERT INTO task (id, project_id, place, due_at) VALUES ($1, $2, $3, '2026-01-01')`, [
    id,
    projectId,
    place,
  ])
  return id
}

async function lease(id: string): Promise<Task> {
  const leased = await items().lease(id, leaseMs)
  if (leased === null) throw new Error('nothing was leased')
  return leased
}

const rowOf = async (id: string) => (await pool.query('SELECT * FROM task WHERE id = $1', [id])).rows[0]
const endLease = (id: string) => pool.query(`UPDATE task SET due_at = now() - interval '1 second' WHERE id = $1`, [id])

it('leases an item to one worker at a time, and reads what it needs', async () => {
  const id = await task()
  const leases = await Promise.all(Array.from({ length: 6 }, () => items().lease(id, leaseMs)))
  expect(leases.filter((each) => each !== null)).toEqual([{ id, generation: 1, failures: 0, title: 'project' }])
  await endLease(id)
  expect(await lease(id)).toMatchObject({ generation: 2 })
})

it('ignores every write of a worker that lost its lease', async () => {
  const id = await task()
  const lost = await lease(id)
  await endLease(id)
  const held = await lease(id)
  expect([await items().renew(lost, leaseMs), await items().complete(lost, ['lost'])]).toEqual([false, false])
  await items().release(lost, { kind: 'dead_lettered', error: 'lost', delayMs: 0 })
  await items().release(lost, { kind: 'retried', error: 'lost', delayMs: 0 })
  expect(await rowOf(id)).toMatchObject({ state: 'leased', failures: 0, result: null, last_error: null })
  expect(await items().renew(held, 2 * leaseMs)).toBe(true)
  expect(await items().complete(held, ['ok'])).toBe(true)
  expect(await rowOf(id)).toMatchObject({ state: 'done', result: 'ok' })
  expect(await items().lease(id, leaseMs)).toBeNull()
})

it.each([
  ['postponed', { state: 'pending', failures: 0, result: null }],
  ['retried', { state: 'pending', failures: 1, result: null }],
  ['dead_lettered', { state: 'poisoned', failures: 1, result: 'error' }],
] as const)('returns the lease of an item that is %s', async (kind, row) => {
  const id = await task()
  await items().release(await lease(id), { kind, error: `no\0${'x'.repeat(600)}`, delayMs: leaseMs })
  expect(await rowOf(id)).toMatchObject({ ...row, attempts: 0, last_error: `no${'x'.repeat(498)}` })
  expect(await items().lease(id, leaseMs)).toBeNull()
  await endLease(id)
  expect((await items().lease(id, leaseMs))?.generation).toBe(kind === 'dead_lettered' ? undefined : 2)
})

it('finds items that are due, in order, and only those that may be processed', async () => {
  const [second, first] = [await task({ place: 2 }), await task({ place: 1 })]
  await task({ isRunning: false })
  await lease(await task())
  expect(await items().overdue(10)).toEqual([first, second])
  expect(await items().overdue(1)).toEqual([first])
})

it('dead-letters an item whose workers all ended before it finished', async () => {
  const id = await task()
  for (let leases = 0; leases < 20; leases += 1) {
    expect(await items().overdue(1)).toEqual([id])
    await lease(id)
    await endLease(id)
  }
  expect(await items().overdue(1)).toEqual([])
  const error = 'every worker that processed this item ended before it finished'
  expect(await rowOf(id)).toMatchObject({ state: 'poisoned', last_error: error, result: 'error' })
})
