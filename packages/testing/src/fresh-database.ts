import { randomBytes } from 'node:crypto'
import { migrate, migrationsFingerprint } from '@ratchet/db/migrate'
import pg from 'pg'
import { testDatabaseUrl, testTemplateName } from './test-servers.ts'

export interface FreshDatabase {
  readonly url: string
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>
}

/** Cloning takes the advisory lock shared, making the template takes it alone. */
const templateLock = 7_267_001

/**
 * A database of the test's own with every migration applied: a clone of the template, made on the
 * first call anywhere. Any number of test processes may ask at once.
 *
 * @throws Error when `TEST_DATABASE_URL` is missing or its server does not answer.
 */
export async function freshDatabase(): Promise<FreshDatabase> {
  const serverUrl = testDatabaseUrl()
  const name = `ratchet_test_${process.pid}_${randomBytes(5).toString('hex')}`
  await withServer(serverUrl, async (server) => {
    await cloneTemplate(server, serverUrl, name)
  })
  return {
    url: databaseUrl(serverUrl, name),
    drop: () => withServer(serverUrl, (server) => server.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)),
  }
}

async function cloneTemplate(server: pg.Client, serverUrl: string, name: string): Promise<void> {
  const template = testTemplateName() ?? `ratchet_template_${await migrationsFingerprint()}`
  await server.query('SELECT pg_advisory_lock_shared($1)', [templateLock])
  if (!(await exists(server, template))) {
    await server.query('SELECT pg_advisory_unlock_shared($1)', [templateLock])
    await makeTemplate(server, serverUrl, template)
    await server.query('SELECT pg_advisory_lock_shared($1)', [templateLock])
  }
  await server.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`)
}

/** Migrates under another name first, so that a template that exists is always whole. */
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
