import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { Client } from 'pg'
import { finishedMigrations, underMigrationLock, unfinishedMigrations } from './migration-lock.ts'
import { migrationNames, migrationsFolder as ownMigrations } from './migration-names.ts'

const prismaFolder = path.join(import.meta.dirname, '..', 'prisma')
/** Postgres's code for a lock that was not had in time. */
const lockNotAvailable = '55P03'
const everyTable = { externalTables: [], externalEnums: [] }

export interface MigrateOptions {
  /** Where the migrations lie; absent = the product's own. */
  readonly folder?: string
  /**
   * Milliseconds that a migration may wait for a table that somebody uses. All who come after it wait behind it, so it
   * must be short.
   */
  readonly lockTimeoutMs?: number
  /** How often a migration is tried that waited too long, and milliseconds between. */
  readonly tries?: number
  readonly pauseMs?: number
  /** Hears that a table was in use, before it is tried again. */
  readonly onInUse?: (attempt: number) => void
}

/**
 * Applies every migration of `prisma/migrations` that the database does not have yet, with
 * Prisma's own engine, so `_prisma_migrations` is what `prisma migrate deploy` would leave.
 * Safe to run from several processes at once, and beside running services: one process migrates and the others wait;
 * a migration that does not get its locks in time lets everybody pass and is tried again. One that fails leaves
 * nothing, because Postgres takes a script as one transaction, so the next run tries it anew.
 *
 * @returns the names of the migrations applied, in order; empty when there were none.
 * @throws Error that names the migration that failed and says why.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const {
    folder = ownMigrations,
    lockTimeoutMs = 5_000,
    tries = 20,
    pauseMs = 3_000,
    onInUse = () => undefined,
  } = options
  return underMigrationLock(databaseUrl, async (lock) => {
    const before = await finishedMigrations(lock)
    for (let attempt = 1; ; attempt++) {
      // Nobody else migrates now: what is unfinished was interrupted, and nothing of it is there.
      const unfinished = await unfinishedMigrations(lock)
      const failure = await applyAll(databaseUrl, { folder, unfinished, lockTimeoutMs })
      if (failure === null) break
      if (failure.code !== lockNotAvailable || attempt >= tries) throw await inWords(lock, failure)
      onInUse(attempt)
      await delay(pauseMs)
    }
    return (await finishedMigrations(lock)).filter((name) => !before.includes(name))
  })
}

interface Attempt {
  readonly folder: string
  readonly unfinished: readonly string[]
  readonly lockTimeoutMs: number
}

/** What Postgres said of a script. */
type ScriptFailure = Error & { readonly code?: string }

/** @returns what Postgres refused, or null when all is applied */
async function applyAll(
  databaseUrl: string,
  { folder, unfinished, lockTimeoutMs }: Attempt,
): Promise<ScriptFailure | null> {
  const scripts: Scripts = { lockTimeoutMs, failure: null }
  return withEngine(databaseUrl, scripts, async (schemaEngine) => {
    for (const migrationName of unfinished) await schemaEngine.markMigrationRolledBack({ migrationName })
    try {
      await schemaEngine.applyMigrations({ migrationsList: await readMigrations(folder), filters: everyTable })
    } catch (error) {
      // The engine's own words leave out what Postgres said.
      if (scripts.failure === null) throw error
    }
    return scripts.failure
  })
}

async function inWords(lock: Client, failure: ScriptFailure): Promise<Error> {
  const name = (await unfinishedMigrations(lock)).at(-1)
  return new Error(`migration ${name} failed and left nothing: ${failure.message}`, { cause: failure })
}

/** A short name for exactly these migrations: it changes when one is added or edited. */
export async function migrationsFingerprint(): Promise<string> {
  const { migrationDirectories } = await readMigrations(ownMigrations)
  return createHash('sha256').update(JSON.stringify(migrationDirectories)).digest('hex').slice(0, 12)
}

/** How the scripts of migrations are run, and what became of the last one. */
interface Scripts {
  readonly lockTimeoutMs: number
  failure: ScriptFailure | null
}

async function withEngine<T>(
  databaseUrl: string,
  scripts: Scripts,
  use: (schemaEngine: engine.SchemaEngine) => Promise<T>,
): Promise<T> {
  await instantiateEngine()
  const connections: { dispose(): Promise<void> }[] = []
  const adapter = bindMigrationAwareSqlAdapterFactory(
    wholeScripts(new PrismaPg({ connectionString: databaseUrl, max: 1 }), scripts, connections),
  )
  const datamodels = (await readSchema()).map(({ path: name, content }): [string, string] => [name, content])
  const schemaEngine = await engine.SchemaEngine.new({ datamodels }, () => undefined, adapter)
  try {
    return await use(schemaEngine)
  } finally {
    schemaEngine.free()
    // The engine leaves its connection open, and with it the advisory lock: the next migration would wait for it.
    await Promise.all(connections.map((connection) => connection.dispose()))
  }
}

/**
 * Prisma's adapter splits a script at every `;`, which breaks function bodies: Postgres takes it whole.
 * Every connection made is added to `connections`.
 */
function wholeScripts(factory: PrismaPg, scripts: Scripts, connections: { dispose(): Promise<void> }[]): PrismaPg {
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    connections.push(adapter)
    adapter.executeScript = (script) => runScript(adapter.underlyingDriver(), script, scripts)
    return adapter
  }
  return factory
}

async function runScript(pool: ScriptRunner, script: string, scripts: Scripts): Promise<void> {
  try {
    // In the same simple query and so in the same transaction: the setting ends with it.
    await pool.query(`SET LOCAL lock_timeout = ${scripts.lockTimeoutMs};\n${script}`)
  } catch (error) {
    scripts.failure = error as ScriptFailure
    throw error
  }
}

interface ScriptRunner {
  query(script: string): Promise<unknown>
}

/** The part of the WebAssembly API used here; Node has it, its types do not. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

let instantiated: Promise<void> | undefined

/** The engine's WebAssembly is instantiated by hand: importing `.wasm` is not available everywhere we run. */
function instantiateEngine(): Promise<void> {
  instantiated ??= (async () => {
    const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
    const binary = await readFile(path.join(path.dirname(entry), 'schema_engine_bg.wasm'))
    const { instance } = await WebAssembly.instantiate(binary, { './schema_engine_bg.js': engineImports() })
    const glue = engine as unknown as { __wbg_set_wasm(exports: object): void }
    glue.__wbg_set_wasm(instance.exports)
    instance.exports.__wbindgen_start()
  })()
  return instantiated
}

/** The engine never cancels the time-out (10 s) of its advisory lock, which must not keep a process alive. */
function engineImports(): object {
  const imports = Object.entries(engine as unknown as Record<string, (...args: unknown[]) => unknown>)
  return Object.fromEntries(
    imports.map(([name, call]) =>
      name.startsWith('__wbg_setTimeout')
        ? [name, (...args: unknown[]) => (call(...args) as NodeJS.Timeout).unref()]
        : [name, call],
    ),
  )
}

async function readMigrations(baseDir: string): Promise<engine.MigrationList> {
  return {
    baseDir,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(path.join(ownMigrations, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      (await migrationNames(baseDir)).map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(path.join(baseDir, name, 'migration.sql'), 'utf8') },
        },
      })),
    ),
  }
}

async function readSchema(): Promise<{ path: string; content: string }[]> {
  const folder = path.join(prismaFolder, 'schema')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.prisma')).sort()
  return Promise.all(
    names.map(async (name) => ({
      path: path.join(folder, name),
      content: await readFile(path.join(folder, name), 'utf8'),
    })),
  )
}
