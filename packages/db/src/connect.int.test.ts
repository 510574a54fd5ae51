import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPrisma } from './connect.ts'
import { type ConnectOptions, connectPool, type Pool } from './connect-pool.ts'

let database: FreshDatabase
let proxy: ChaosProxy
const pools: Pool[] = []

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

beforeEach(async () => {
  const { port, hostname } = new URL(database.url)
  proxy = await startChaosProxy({ targetPort: Number(port), targetHost: hostname })
})
afterEach(async () => {
  await proxy.stop()
  for (const pool of pools.splice(0)) await pool.end()
})

/** A pool whose connections go through the proxy. */
function proxied(options: Partial<ConnectOptions> = {}): Pool {
  const url = new URL(database.url)
  url.host = `127.0.0.1:${proxy.port}`
  const pool = connectPool({ databaseUrl: url.href, max: 2, ...options })
  pools.push(pool)
  return pool
}

it('assumes the role on every connection', async () => {
  const pool = proxied({ role: 'ratchet_edge' })

  const roles = await Promise.all([1, 2].map(() => pool.query('SELECT current_user AS role, pg_sleep(0.05)')))

  expect(roles.map(({ rows }) => rows[0].role)).toEqual(['ratchet_edge', 'ratchet_edge'])
})

it('assumes the role with any login that is a member of it', async () => {
  const login = `edge_login_${process.pid}`
  const owner = connectPool({ databaseUrl: database.url, max: 1 })
  pools.push(owner)
  await owner.query(`CREATE ROLE ${login} LOGIN PASSWORD 'secret'; GRANT ratchet_edge TO ${login}`)
  const url = new URL(database.url)
  Object.assign(url, { username: login, password: 'secret' })
  const as = (role: 'ratchet_edge' | 'ratchet_inference') => connectPool({ databaseUrl: url.href, role, max: 1 })
  const [edge, inference] = [as('ratchet_edge'), as('ratchet_inference')]
  try {
    const { rows } = await edge.query('SELECT current_user AS role, session_user AS login')
    expect(rows).toEqual([{ role: 'ratchet_edge', login }])
    await expect(edge.query('SELECT * FROM wallet')).rejects.toThrow('permission denied')
    await expect(inference.query('SELECT 1')).rejects.toThrow('permission denied to set role')
  } finally {
    await Promise.all([edge.end(), inference.end()])
    await owner.query(`DROP ROLE ${login}`)
  }
})

it('has the rights of the login without a role', async () => {
  const { rows } = await proxied().query('SELECT current_user = session_user AS same')

  expect(rows).toEqual([{ same: true }])
})

it("applies the role to Prisma's client too", async () => {
  const db = connectPrisma({ databaseUrl: database.url, role: 'ratchet_inference', max: 1 })

  await expect(db.wallet.findFirst()).resolves.toBeNull()
  await expect(db.apiKey.findFirst()).rejects.toThrow(/denied/)

  await db.$disconnect()
})

it('has the server cancel a statement that takes too long', async () => {
  const pool = proxied({ statementTimeoutMs: 50 })

  await expect(pool.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: '57014' })
})

it('fails in time while the server is frozen, and works again afterwards', async () => {
  const pool = proxied({ queryTimeoutMs: 100, connectTimeoutMs: 100 })
  await pool.query('SELECT 1')
  proxy.freeze()

  const started = performance.now()
  await expect(pool.query('SELECT 1')).rejects.toThrow('timeout')
  expect(performance.now() - started).toBeLessThan(1_000)

  proxy.thaw()
  await eventually(async () => expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]))
})

it('survives a connection that breaks between two statements of its user', async () => {
  const pool = proxied()
  const client = await pool.connect()
  await client.query('BEGIN')

  proxy.reset()

  await eventually(() => expect(client.query('SELECT 1')).rejects.toThrow())
  client.release()
  await eventually(async () => expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]))
})

it('fails in time when the server does not answer a new connection', async () => {
  proxy.freeze()
  const pool = proxied({ connectTimeoutMs: 100 })

  const started = performance.now()
  await expect(pool.query('SELECT 1')).rejects.toThrow('timeout')
  expect(performance.now() - started).toBeLessThan(1_000)
})

it('replaces connections that broke while idle, and reports them', async () => {
  const heard: Error[] = []
  const pool = proxied({ onIdleError: (error) => heard.push(error) })
  await pool.query('SELECT 1')

  proxy.reset()

  await eventually(() => expect(heard).toHaveLength(1))
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
