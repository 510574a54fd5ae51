import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import { migrationsFolder as baseDir, migrationNames } from './migration-names.ts'

const prismaFolder = path.join(import.meta.dirname, '..', 'prisma')
const everyTable = { externalTables: [], externalEnums: [] }

/**
 * Applies every migration of `prisma/migrations` that the database does not have yet, with
 * Prisma's own engine, so `_prisma_migrations` is what `prisma migrate deploy` would leave.
 * Safe to run from several processes at once: the engine takes an advisory lock.
 *
 * @returns the names of the migrations applied, in order; empty when there were none.
 * @throws Error of the engine, naming the migration that failed.
 */
export async function migrate(databaseUrl: string): Promise<readonly string[]> {
  return withEngine(databaseUrl, async (schemaEngine) => {
    const migrationsList = await readMigrations()
    const { appliedMigrationNames } = await schemaEngine.applyMigrations({ migrationsList, filters: everyTable })
    return appliedMigrationNames
  })
}

/** A short name for exactly these migrations: it changes when one is added or edited. */
export async function migrationsFingerprint(): Promise<string> {
  const { migrationDirectories } = await readMigrations()
  return createHash('sha256').update(JSON.stringify(migrationDirectories)).digest('hex').slice(0, 12)
}

async function withEngine<T>(databaseUrl: string, use: (schemaEngine: engine.SchemaEngine) => Promise<T>): Promise<T> {
  await instantiateEngine()
  const connections: { dispose(): Promise<void> }[] = []
  const adapter = bindMigrationAwareSqlAdapterFactory(
    wholeScripts(new PrismaPg({ connectionString: databaseUrl, max: 1 }), connections),
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
function wholeScripts(factory: PrismaPg, connections: { dispose(): Promise<void> }[]): PrismaPg {
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    connections.push(adapter)
    adapter.executeScript = async (script) => void (await adapter.underlyingDriver().query(script))
    return adapter
  }
  return factory
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

async function readMigrations(): Promise<engine.MigrationList> {
  return {
    baseDir,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(path.join(baseDir, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      (await migrationNames()).map(async (name) => ({
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
