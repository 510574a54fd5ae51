import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { eventually } from '@ratchet/testing/eventually'
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

describe('beside running services', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratchet-migrations-'))
  const elsewhere = mkdtempSync(path.join(tmpdir(), 'ratchet-migrations-'))
  for (const [name, script] of [
    ['1_first', 'CREATE TABLE used (id int)'],
    ['2_second', 'CREATE TABLE other (id int); ALTER TABLE used ADD COLUMN more int'],
  ] as const) {
    mkdirSync(path.join(folder, name))
    writeFileSync(path.join(folder, name, 'migration.sql'), script)
  }
  const quickly = { folder, lockTimeoutMs: 100, pauseMs: 10 }

  afterAll(() => {
    for (const each of [folder, elsewhere]) rmSync(each, { recursive: true })
  })

  /** A database that has the first migration, while somebody reads its table. */
  async function whileRead(work: (url: string, free: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const url = await emptyDatabase()
    await migrate(url, { ...quickly, folder: onlyFirst() })
    const reader = new pg.Client(url)
    await reader.connect()
    try {
      await reader.query('BEGIN; SELECT count(*) FROM used')
      await work(url, () => reader.query('COMMIT'))
    } finally {
      await reader.end()
    }
  }

  function onlyFirst(): string {
    const only = path.join(elsewhere, 'only')
    cpSync(path.join(folder, '1_first'), path.join(only, '1_first'), { recursive: true })
    return only
  }

  function attemptsAt(url: string, count: number): Promise<unknown> {
    const tried = "SELECT 1 FROM _prisma_migrations WHERE migration_name = '2_second'"
    return eventually(async () => (await query(url, tried)).length >= count)
  }

  it('gives way to who uses a table, leaves nothing, and gets its turn later', async () => {
    await whileRead(async (url, free) => {
      await expect(migrate(url, { ...quickly, tries: 2 })).rejects.toThrow(/lock timeout/)
      expect(await query(url, "SELECT to_regclass('other') AS found")).toEqual([{ found: null }])
      const heard: number[] = []
      const migrated = migrate(url, { ...quickly, onInUse: (attempt) => heard.push(attempt) })
      await attemptsAt(url, 4)
      expect(await query(url, 'SELECT count(*)::int AS count FROM used')).toEqual([{ count: 0 }])
      await free()
      expect(await migrated).toEqual(['2_second'])
      expect(heard.slice(0, 1)).toEqual([1])
      expect(await migrate(url, quickly)).toEqual([])
    })
  })

  it('does again what was interrupted', async () => {
    await whileRead(async (url, free) => {
      await free()
      await query(
        url,
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
         VALUES ('1', '', '2_second', now(), 0)`,
      )
      expect(await migrate(url, quickly)).toEqual(['2_second'])
    })
  })

  it('says which migration is wrong, and is not stuck on it once it is mended', async () => {
    const broken = path.join(elsewhere, 'broken')
    mkdirSync(path.join(broken, '1_only'), { recursive: true })
    const script = path.join(broken, '1_only', 'migration.sql')
    writeFileSync(script, 'CREATE TABLE half (id int); SELECT nonsense')
    const url = await emptyDatabase()

    await expect(migrate(url, { ...quickly, folder: broken })).rejects.toThrow(
      'migration 1_only failed and left nothing: column "nonsense" does not exist',
    )

    expect(await query(url, "SELECT to_regclass('half') AS found")).toEqual([{ found: null }])
    writeFileSync(script, 'CREATE TABLE half (id int)')
    expect(await migrate(url, { ...quickly, folder: broken })).toEqual(['1_only'])
  })
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
