import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { IdentityDb, SettingsDb } from '@ratchet/db/ownership'
import { CliError } from './cli-error.ts'
import { type CliIo, envValue } from './cli-io.ts'
import { readFleetFile } from './fleet-file.ts'

export interface Database {
  readonly db: IdentityDb & SettingsDb
  readonly pool: Pool
  /** Whether it is the database of `npm start`, which has its secrets beside it. */
  readonly isOfLocalFleet: boolean
}

/** Options of a command's database connection. */
export interface DatabaseOptions {
  /** Maximum milliseconds of a statement; 10 000 by default. */
  readonly queryTimeoutMs?: number
}

/**
 * Finds the database (`--database-url`, else DATABASE_URL, else the fleet of `npm start`), checks that it answers and is
 * migrated, and calls `use` with it.
 *
 * @throws CliError when the database cannot be used
 */
export async function withDatabase<T>(
  option: string | undefined,
  env: CliIo['env'],
  use: (database: Database) => Promise<T>,
  { queryTimeoutMs = 10_000 }: DatabaseOptions = {},
): Promise<T> {
  const { databaseUrl, isOfLocalFleet } = await findDatabase(option, env)
  const connect = { databaseUrl, max: 1, connectTimeoutMs: 5_000, queryTimeoutMs }
  const pool = connectPool(connect)
  try {
    await checkDatabase(pool, new URL(databaseUrl).host)
    const db = connectPrisma(connect)
    try {
      return await use({ db, pool, isOfLocalFleet })
    } finally {
      await db.$disconnect()
    }
  } finally {
    await pool.end()
  }
}

async function findDatabase(
  option: string | undefined,
  env: CliIo['env'],
): Promise<{ databaseUrl: string; isOfLocalFleet: boolean }> {
  if (option !== undefined) return { databaseUrl: checkedUrl(option, '--database-url'), isOfLocalFleet: false }
  const fromEnv = envValue(env, 'DATABASE_URL')
  if (fromEnv !== undefined) return { databaseUrl: checkedUrl(fromEnv, 'DATABASE_URL'), isOfLocalFleet: false }
  const fleet = await readFleetFile(env)
  if (fleet !== null) {
    return { databaseUrl: checkedUrl(fleet.database_url, 'database_url of fleet.json'), isOfLocalFleet: true }
  }
  throw new CliError('no database: run `npm start`, set DATABASE_URL or give --database-url', { exitCode: 2 })
}

/** The message does not contain the value, which may include a password. */
function checkedUrl(value: string, name: string): string {
  if (/^postgres(ql)?:\/\/[^/]/.test(value) && URL.canParse(value)) return value
  throw new CliError(`${name}: expected a URL such as postgres://user:password@host:5432/database`, { exitCode: 2 })
}

async function checkDatabase(pool: Pool, host: string): Promise<void> {
  const tables = await pool
    .query<{ migrated: boolean }>("SELECT to_regclass('public.provider_key') IS NOT NULL AS migrated")
    .catch((cause: Error & { code?: string }) => {
      const reason = cause.message === '' ? (cause.code ?? 'no answer') : cause.message
      throw new CliError(`the database at ${host} cannot be used: ${reason}`, { cause })
    })
  if (tables.rows[0]?.migrated !== true) {
    throw new CliError(`the database at ${host} is not migrated: run \`npm start\`, or the migration job`)
  }
}
