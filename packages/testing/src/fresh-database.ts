import { randomBytes } from 'node:crypto'
import { migrate, migrationsFingerprint } from '@ratchet/db/migrate'
import pg from 'pg'
import { testDatabaseUrl } from './test-servers.ts'

export interface FreshDatabase {
  readonly url: string
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>
}

/** Cloning takes the advisory lock shared, creating the template takes it exclusively. */
const templateLock = 7_267_001

/**
 * A database of the test's own with every migration applied: a clone of the template, which the first call of any
 * process creates. Any number of test processes may call it at once.
 *
 * @param template name of the migrated database to clone; by default one per set of migrations
 * @throws Error when `TEST_DATABASE_URL` is missing or its server does not answer.
 */
export async function freshDatabase(template?: string): Promise<FreshDatabase> {
  const serverUrl = testDatabaseUrl()
  const name = `ratchet_test_${process.pid}_${randomBytes(5).toString('hex')}`
  await withServer(serverUrl, async (server) => {
    const chosen = template ?? `ratchet_template_${await migrationsFingerprint()}`
    await cloneTemplate({ server, serverUrl, name, template: chosen })
  })
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => withServer(serverUrl, (server) => server.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)),
  }
}

interface Clone {
  readonly server: pg.Client
  readonly serverUrl: string
  readonly name: string
  readonly template: string
}

async function cloneTemplate({ server, serverUrl, name, template }: Clone): Promise<void> {
  await server.query('SELECT pg_advisory_lock_shared($1)', [templateLock])
  if (!(await exists(server, template))) {
    await server.query('SELECT pg_advisory_unlock_shared($1)', [templateLock])
    await makeTemplate(server, serverUrl, template)
    await server.query('SELECT pg_advisory_lock_shared($1)', [templateLock])
  }
  await server.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`)
}

/** Migrates under another name first, so that an existing template is always complete. */
async function makeTemplate(server: pg.Client, serverUrl: string, template: string): Promise<void> {
  await server.query('SELECT pg_advisory_lock($1)', [templateLock])
  try {
    if (await exists(server, template)) return
    const unfinished = `${template}_unfinished`
    await server.query(`DROP DATABASE IF EXISTS "${unfinished}" WITH (FORCE)`)
    await server.query(`CREATE DATABASE "${unfinished}"`)
    await migrate(databaseUrl(serverUrl, unfinished))
    await server.query(`ALTER DATABASE "${unfinished}" RENAME TO "${template}"`)
  } finally {
    await server.query('SELECT pg_advisory_unlock($1)', [templateLock])
  }
}

async function exists(server: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
  return rowCount === 1
}

async function withServer(url: string, use: (server: pg.Client) => Promise<unknown>): Promise<void> {
  const server = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  try {
    await server.connect()
  } catch (error) {
    await server.end().catch(() => undefined)
    throw new Error(`the tests' Postgres (TEST_DATABASE_URL) does not answer: ${(error as Error).message}`, {
      cause: error,
    })
  }
  try {
    await use(server)
  } finally {
    await server.end()
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
