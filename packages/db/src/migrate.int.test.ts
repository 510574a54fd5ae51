import { freshDatabase } from '@ratchet/testing/fresh-database'
import pg from 'pg'
import { migrate, migrationsFingerprint } from './migrate.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const made: string[] = []

afterEach(async () => {
  for (const name of made.splice(0)) await query(serverUrl, `DROP DATABASE "${name}" WITH (FORCE)`)
})

async function emptyDatabase(): Promise<string> {
  const name = `ratchet_empty_${process.pid}_${made.length}`
  await query(serverUrl, `CREATE DATABASE "${name}"`)
  made.push(name)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

it('applies every migration in order to an empty database, and nothing the second time', async () => {
  const url = await emptyDatabase()

  const applied = await migrate(url)

  expect(applied[0]).toBe('20261121000100_identity')
  expect([...applied].sort()).toEqual(applied)
  expect(await migrate(url)).toEqual([])
  const rows = await query(
    url,
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
  )
  expect(rows).toEqual(applied.map((name) => ({ migration_name: name })))
})

it('applies each migration once when several processes start together', async () => {
  const url = await emptyDatabase()

  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])

  expect(applied.map((names) => names.length).sort()).toEqual([0, 0, applied.flat().length])
  expect(new Set(applied.flat()).size).toBe(applied.flat().length)
})

it('leaves a database alone that a newer release has migrated', async () => {
  const url = await emptyDatabase()
  await migrate(url)
  await query(
    url,
    `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
     VALUES ('newer', '', now(), '99990101000000_newer', 1)`,
  )

  expect(await migrate(url)).toEqual([])
})

it('leaves no connection behind, so that the database can be copied at once', async () => {
  const url = await emptyDatabase()
  const name = new URL(url).pathname.slice(1)

  await migrate(url)

  expect(await query(serverUrl, `SELECT pid FROM pg_stat_activity WHERE datname = '${name}'`)).toEqual([])
})

it('makes the roles of the services in a server that has them already', async () => {
  const { drop } = await freshDatabase() // its template was migrated, so the roles exist
  const url = await emptyDatabase()

  await migrate(url)

  const roles = await query(
    url,
    "SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname LIKE 'ratchet\\_%' ORDER BY 1",
  )
  expect(roles).toEqual([
    { rolname: 'ratchet_alias', rolcanlogin: false },
    { rolname: 'ratchet_edge', rolcanlogin: false },
    { rolname: 'ratchet_eval', rolcanlogin: false },
    { rolname: 'ratchet_inference', rolcanlogin: false },
    { rolname: 'ratchet_judging', rolcanlogin: false },
    { rolname: 'ratchet_logging', rolcanlogin: false },
  ])
  await drop()
})

it('has one fingerprint for one set of migrations', async () => {
  const fingerprint = await migrationsFingerprint()

  expect(fingerprint).toMatch(/^[0-9a-f]{12}$/)
  expect(await migrationsFingerprint()).toBe(fingerprint)
})

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
