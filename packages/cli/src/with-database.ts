import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { LedgerDatabase } from '@ratchet/db/credit-workspace'
import { mainLedger, parseLedgerUrls } from '@ratchet/db/ledger-urls'
import type { SignInDb } from '@ratchet/db/one-time-links'
import type { IdentityDb, SettingsDb } from '@ratchet/db/ownership'
import { CliError } from './cli-error.ts'
import { type CliIo, envValue } from './cli-io.ts'
import { readFleetFile } from './fleet-file.ts'

export interface Database {
  readonly db: IdentityDb & SettingsDb & Pick<SignInDb, 'authVerification'>
  readonly pool: Pool
  /** Whether it is the database of `npm start`, which has its secrets beside it. */
  readonly isOfLocalFleet: boolean
  /** The ledgers of the deployment; the main one first. */
  readonly ledgerNames: readonly string[]
  /** Connects to the database of a ledger. @throws CliError when it is not in LEDGER_DATABASE_URLS, or cannot be used */
  readonly openLedger: (name: string) => Promise<LedgerDatabase>
}

/** Options of a command's database connection. */
export interface DatabaseOptions {
  /** Maximum milliseconds of a statement; 10 000 by default. */
  readonly queryTimeoutMs?: number
}

/**
 * Finds the database (`--database-url`, else DATABASE_URL, else the fleet of `npm start`), checks that it answers and is
 * migrated, and calls `use` with it. Those of other ledgers are connected when they are needed.
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
  const urls = ledgerUrls(env, databaseUrl)
  const pools: Pool[] = []
  const open = async (url: string) => {
    const opened = connectPool({ ...connect, databaseUrl: url })
    pools.push(opened)
    await checkDatabase(opened, new URL(url).host)
    return opened
  }
  try {
    const pool = await open(databaseUrl)
    const openLedger = async (name: string) => {
      const url = urls.get(name)
      if (name === mainLedger) return { name, pool }
      if (url === undefined) throw new CliError(`LEDGER_DATABASE_URLS has no ledger ${name}`, { exitCode: 2 })
      return { name, pool: await open(url) }
    }
    const db = connectPrisma(connect)
    try {
      return await use({ db, pool, isOfLocalFleet, ledgerNames: [mainLedger, ...urls.keys()], openLedger })
    } finally {
      await db.$disconnect()
    }
  } finally {
    for (const pool of pools) await pool.end()
  }
}

function ledgerUrls(env: CliIo['env'], databaseUrl: string): ReadonlyMap<string, string> {
  const text = envValue(env, 'LEDGER_DATABASE_URLS')
  try {
    return text === undefined ? new Map() : parseLedgerUrls(text, databaseUrl)
  } catch (error) {
    throw new CliError(`LEDGER_DATABASE_URLS: ${(error as Error).message}`, { exitCode: 2 })
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
