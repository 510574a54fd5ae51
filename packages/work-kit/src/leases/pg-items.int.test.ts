import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { LeasedItem } from './leased-item.ts'
import { createPgItems } from './pg-items.ts'

interface Task extends LeasedItem {
  readonly title: string
  readonly workspace_id: string
}

const leaseMs = 60_000
let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 8 })
  await pool.query(`CREATE TABLE project (id uuid PRIMARY KEY, running boolean NOT NULL, title text NOT NULL)`)
  await pool.query(`CREATE TABLE task (id uuid PRIMARY KEY, project_id uuid NOT NULL, workspace_id uuid NOT NULL, place int NOT NULL DEFAULT 0,
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
      leased: 't.id, t.generation, t.failures, t.workspace_id, p.title',
      completed: `state = 'done', result = $3`,
      deadLettered: `result = 'error'`,
      thenBy: 't.place',
    },
    (row) => row,
  )

const workspaceId = randomUUID()

async function task({ isRunning = true, place = 0, workspace = workspaceId as string } = {}): Promise<string> {
  const [id, projectId] = [randomUUID(), randomUUID()]
  await pool.query(`INSERT INTO project VALUES ($1, $2, 'project')`, [projectId, isRunning])
  await pool.query(
    `INSERT INTO task (id, project_id, workspace_id, place, due_at) VALUES ($1, $2, $3, $4, '2026-01-01')`,
    [id, projectId, workspace, place],
  )
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
  expect(leases.filter((each) => each !== null)).toEqual([
    { id, generation: 1, failures: 0, title: 'project', workspace_id: workspaceId },
  ])
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

describe('take', () => {
  const take = (limit: number, inProgress: readonly string[] = [], maxOfWorkspace = 100) =>
    items().take({ limit, inProgress, maxOfWorkspace }, leaseMs)
  const workspacesOf = (taken: readonly Task[]) => taken.map(({ workspace_id: id }) => id).toSorted()
  const [many, few] = [randomUUID(), randomUUID()]
  const tasks = (count: number, workspace: string) =>
    Promise.all(Array.from({ length: count }, () => task({ workspace })))

  it('leases rows of the workspace with the fewest in progress first, however many another one has waiting', async () => {
    await tasks(40, many)
    const later = await tasks(2, few)
    await pool.query(`UPDATE task SET due_at = '2026-01-02' WHERE id = ANY($1)`, [later])
    expect(workspacesOf(await take(1, [many]))).toEqual([few])
    expect(workspacesOf(await take(3, [many, few]))).toEqual([many, many, few].toSorted())
    expect(workspacesOf(await take(10))).toEqual(Array(10).fill(many))
  })

  it('leases no more of a workspace than it may have in progress', async () => {
    await tasks(10, many)
    expect(await take(10, [many, many], 5)).toHaveLength(3)
    expect(await take(10, Array(5).fill(many), 5)).toEqual([])
  })

  it('leases each row to one of several workers, and gives all of them work', async () => {
    await tasks(40, many)
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(5)))
    const ids = taken.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const rest = []
    for (let more = await take(5); more.length > 0; more = await take(5)) rest.push(...more)
    expect(ids.length + rest.length).toBe(40)
    expect(await items().overdue(1)).toEqual([])
  })

  it('leaves an item whose workers all ended before it finished', async () => {
    const id = await task()
    for (let leases = 0; leases < 20; leases += 1) {
      expect(await take(1)).toHaveLength(1)
      await endLease(id)
    }
    expect(await take(1)).toEqual([])
    await items().overdue(1)
    expect(await rowOf(id)).toMatchObject({ state: 'poisoned' })
  })

  it('leaves rows that are not due or may not be processed', async () => {
    await task({ isRunning: false })
    await pool.query(`UPDATE task SET due_at = now() + interval '1 hour' WHERE id = $1`, [await task()])
    await lease(await task())
    expect(await take(10)).toEqual([])
  })
})
