import { randomBytes } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { hashOfToken } from '@ratchet/db/one-time-links'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function setupLink(env: Record<string, string>, ...argv: string[]) {
  const io = { ...recordingIo({ DATABASE_URL: database.url, ...env }), randomBytes }
  const code = await runCli(['admin', 'setup-link', ...argv], io)
  return { code, out: io.out().trim(), err: io.err() }
}

it.each([
  [{ DASHBOARD_ORIGIN: 'https://ratchet.example.com' }, [], 'https://ratchet.example.com'],
  [{ DASHBOARD_ORIGIN: 'https://other.example' }, ['--origin', 'http://localhost:8080/'], 'http://localhost:8080'],
])('prints a new link to the dashboard, and stores no token: %j', async (env, argv, origin) => {
  const { code, out } = await setupLink(env, ...argv)
  expect(code).toBe(0)
  const [address, token = ''] = out.split('/setup?token=')
  expect([address, token.length]).toEqual([origin, 43])
  const { rows } = await pool.query('SELECT identifier FROM auth_verification ORDER BY created_at DESC')
  expect(rows.map(({ identifier }) => identifier)).toContain(hashOfToken('setup', token))
  expect(JSON.stringify(rows)).not.toContain(token)
})

it.each([
  [{}, [], '--origin'],
  [{}, ['--origin', 'ratchet.example.com'], 'scheme'],
  [{ DASHBOARD_ORIGIN: 'https://a.example/path' }, [], 'scheme'],
])('asks where browsers open the dashboard: %j %j', async (env, argv, expected) => {
  const { code, err } = await setupLink(env, ...argv)
  expect(code).toBe(2)
  expect(err).toContain(expected)
})
