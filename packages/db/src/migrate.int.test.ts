import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import pg from 'pg'
import { migrate, migrationsFingerprint } from './migrate.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const made: string[] = []
const folders: string[] = []
const quickly = { lockTimeoutMs: 100, pauseMs: 10 }

afterEach(async () => {
  for (const name of made.splice(0)) await query(serverUrl, `DROP DATABASE "${name}" WITH (FORCE)`)
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

async function emptyDatabase(): Promise<string> {
  const name = `ratchet_empty_${process.pid}_${made.length}`
  await query(serverUrl, `CREATE DATABASE "${name}"`)
  made.push(name)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** A folder of migrations, given by name. */
function scripts(migrations: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratchet-migrations-'))
  folders.push(folder)
  for (const [name, script] of Object.entries(migrations)) writeFileSync(path.join(folder, `${name}.sql`), script)
  return folder
}

it('applies all migrations in order to an empty database, and none the second time', async () => {
  const url = await emptyDatabase()

  const applied = await migrate(url)

  expect(applied[0]).toBe('20261121000100_identity')
  expect([...applied].sort()).toEqual(applied)
  expect(await migrate(url)).toEqual([])
  expect(await query(url, 'SELECT name FROM schema_migration ORDER BY id')).toEqual(applied.map((name) => ({ name })))
})

it('applies each migration once when several processes start together', async () => {
  const url = await emptyDatabase()

  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])

  expect(applied.map((names) => names.length).sort()).toEqual([0, 0, applied.flat().length])
  expect(new Set(applied.flat()).size).toBe(applied.flat().length)
})

describe('beside running services', () => {
  const folder = scripts({
    '1_first': 'CREATE TABLE used (id int)',
    '2_second': 'CREATE TABLE other (id int); ALTER TABLE used ADD COLUMN more int',
  })
  const onlyFirst = scripts({ '1_first': 'CREATE TABLE used (id int)' })

  /** A database that has the first migration, while a transaction reads its table. */
  async function whileRead(work: (url: string, free: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const url = await emptyDatabase()
    await migrate(url, { ...quickly, folder: onlyFirst })
    const reader = new pg.Client(url)
    await reader.connect()
    try {
      await reader.query('BEGIN; SELECT count(*) FROM used')
      await work(url, () => reader.query('COMMIT'))
    } finally {
      await reader.end()
    }
  }

  it('fails when a table stays in use, and changes nothing', async () => {
    await whileRead(async (url) => {
      const attempts: number[] = []
      const onInUse = (attempt: number) => attempts.push(attempt)

      await expect(migrate(url, { ...quickly, folder, tries: 3, onInUse })).rejects.toThrow(
        'migration 2_second failed and changed nothing: canceling statement due to lock timeout',
      )

      expect(attempts).toEqual([1, 2])
      expect(await found(url, 'other')).toBe(false)
    })
  })

  it('releases the table between attempts, and is applied once the table is free', async () => {
    await whileRead(async (url, free) => {
      const attempts: number[] = []
      const migrated = migrate(url, { ...quickly, folder, tries: 1_000, onInUse: (attempt) => attempts.push(attempt) })
      await eventually(() => expect(attempts.length).toBeGreaterThan(1))

      expect(await query(url, 'SELECT count(*)::int AS count FROM used')).toEqual([{ count: 0 }])
      await free()

      expect(await migrated).toEqual(['2_second'])
      expect(await migrate(url, { ...quickly, folder })).toEqual([])
    })
  })

  it('starts again with a migration whose process was killed', async () => {
    await whileRead(async (url, free) => {
      const killed = migrate(url, { folder, lockTimeoutMs: 60_000 })
      const refused = expect(killed).rejects.toThrow('terminat')
      const waits = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      await eventually(async () => expect(await query(url, `SELECT 1 ${waits}`)).toHaveLength(1))
      await query(url, `SELECT pg_terminate_backend(pid) ${waits}`)
      await refused
      await free()

      expect(await found(url, 'other')).toBe(false)
      expect(await migrate(url, { ...quickly, folder })).toEqual(['2_second'])
    })
  })
})

it('names the failed migration and the error of Postgres, keeps earlier migrations, and continues after a repair', async () => {
  const first = { '1_first': 'CREATE TABLE first (id int)' }
  const last = { '3_last': 'CREATE TABLE last (id int)' }
  const broken = scripts({ ...first, '2_broken': 'CREATE TABLE half (id int); SELECT nonsense', ...last })
  const url = await emptyDatabase()

  await expect(migrate(url, { ...quickly, folder: broken })).rejects.toThrow(
    'migration 2_broken failed and changed nothing: column "nonsense" does not exist',
  )

  expect(await Promise.all(['first', 'half', 'last'].map((table) => found(url, table)))).toEqual([true, false, false])
  const repaired = scripts({ ...first, '2_broken': 'CREATE TABLE half (id int)', ...last })
  expect(await migrate(url, { ...quickly, folder: repaired })).toEqual(['2_broken', '3_last'])
})

it('does not change a database of a newer release', async () => {
  const url = await emptyDatabase()
  await migrate(url)
  await query(url, "INSERT INTO schema_migration (name, run_on) VALUES ('99990101000000_newer', now())")

  expect(await migrate(url)).toEqual([])
})

describe('a database of a release that recorded its migrations in _prisma_migrations', () => {
  /** Such a table, in which the named migrations are finished, one was rolled back and one interrupted. */
  async function oldDatabase(finished: readonly string[]): Promise<string> {
    const url = await emptyDatabase()
    const values = finished.map((name) => `('${name}', now(), NULL)`).join(', ')
    await query(
      url,
      `CREATE TABLE _prisma_migrations (id varchar(36) PRIMARY KEY DEFAULT gen_random_uuid(),
         checksum varchar(64) NOT NULL DEFAULT '', finished_at timestamptz, migration_name varchar(255) NOT NULL,
         logs text, rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(),
         applied_steps_count integer NOT NULL DEFAULT 0);
       INSERT INTO _prisma_migrations (migration_name, finished_at, rolled_back_at) VALUES ${values},
         ('${finished[0]}', NULL, now()), ('${finished[0]}', now(), NULL), ('2_more', NULL, NULL), ('3_last', NULL, now())`,
    )
    return url
  }

  const folder = scripts({ '1_first': 'SELECT nonsense', '2_more': 'CREATE TABLE more (id int)', '3_last': 'SELECT 1' })

  it('applies only what was not finished, and keeps the old table for processes of that release', async () => {
    const url = await oldDatabase(['1_first'])
    const before = await query(url, 'SELECT * FROM _prisma_migrations ORDER BY id')

    expect(await migrate(url, { ...quickly, folder })).toEqual(['2_more', '3_last'])

    expect(await query(url, 'SELECT name FROM schema_migration ORDER BY id')).toEqual([
      { name: '1_first' },
      { name: '2_more' },
      { name: '3_last' },
    ])
    expect(await query(url, 'SELECT * FROM _prisma_migrations ORDER BY id')).toEqual(before)
    expect(await migrate(url, { ...quickly, folder })).toEqual([])
  })

  it('is adopted once when several processes start together', async () => {
    const url = await oldDatabase(['1_first', '2_more', '9_newer'])

    const applied = await Promise.all([1, 2, 3].map(() => migrate(url, { ...quickly, folder })))

    expect(applied.flat()).toEqual(['3_last'])
    expect(await query(url, 'SELECT count(*)::int AS count FROM schema_migration')).toEqual([{ count: 4 }])
  })
})

it('closes its connections, so that the database can be copied immediately', async () => {
  const url = await emptyDatabase()
  const name = new URL(url).pathname.slice(1)

  await migrate(url)

  expect(await query(serverUrl, `SELECT pid FROM pg_stat_activity WHERE datname = '${name}'`)).toEqual([])
})

it('accepts existing roles of the services', async () => {
  const { drop } = await freshDatabase() // its template was migrated, so the roles exist
  const url = await emptyDatabase()

  await migrate(url)

  const roles = await query(
    url,
    "SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname LIKE 'ratchet\\_%' ORDER BY 1",
  )
  expect(roles).toEqual([
    { rolname: 'ratchet_alias', rolcanlogin: false },
    { rolname: 'ratchet_dashboard', rolcanlogin: false },
    { rolname: 'ratchet_edge', rolcanlogin: false },
    { rolname: 'ratchet_eval', rolcanlogin: false },
    { rolname: 'ratchet_inference', rolcanlogin: false },
    { rolname: 'ratchet_judging', rolcanlogin: false },
    { rolname: 'ratchet_logging', rolcanlogin: false },
    { rolname: 'ratchet_training', rolcanlogin: false },
    { rolname: 'ratchet_voice', rolcanlogin: false },
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

async function found(url: string, table: string): Promise<boolean> {
  const rows = await query(url, `SELECT to_regclass('${table}') IS NOT NULL AS found`)
  return (rows[0] as { found: boolean }).found
}
