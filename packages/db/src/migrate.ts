import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runner } from 'node-pg-migrate'
import type { Client } from 'pg'
import { appliedMigrations, migrationsTable, prepareMigrationsTable } from './applied-migrations.ts'
import { isLockTimeout } from './is-lock-timeout.ts'
import { underMigrationLock } from './migration-lock.ts'
import { migrationNames, migrationsFolder } from './migration-names.ts'

export interface MigrateOptions {
  /** Folder of the migrations; absent = the product's own. */
  readonly folder?: string
  /**
   * Maximum milliseconds that a migration waits for a table that is in use. Later statements wait behind it, so it must
   * be short.
   */
  readonly lockTimeoutMs?: number
  /** Maximum attempts of a migration that waited too long, and milliseconds between them. */
  readonly tries?: number
  readonly pauseMs?: number
  /** Called before a retry because a table is in use. */
  readonly onInUse?: (attempt: number) => void
}

/**
 * Applies the migrations of `packages/db/migrations` that the database does not have, with node-pg-migrate, each in its own
 * transaction. Several processes may run it at once, and beside running services: one process migrates and the others
 * wait; a migration that does not get its table locks in time releases them and is retried. A migration that fails is
 * rolled back; earlier ones remain, and the next run continues with it.
 *
 * @returns the names of the applied migrations, in order
 * @throws Error with the name of the failed migration and Postgres's error
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<readonly string[]> {
  const { folder = migrationsFolder, lockTimeoutMs = 5_000, tries = 20, pauseMs = 3_000, onInUse } = options
  return underMigrationLock(databaseUrl, async (client) => {
    await prepareMigrationsTable(client)
    const before = await appliedMigrations(client)
    // Set after the lock of migrations, for which the wait has no limit.
    await client.query(`SET lock_timeout = ${lockTimeoutMs}`)
    for (let attempt = 1; ; attempt++) {
      const failure = await applyMissing(client, folder)
      if (failure === null) break
      if (!isLockTimeout(failure) || attempt >= tries) throw await nameMigration(client, folder, failure)
      onInUse?.(attempt)
      await delay(pauseMs)
    }
    return (await appliedMigrations(client)).filter((name) => !before.includes(name))
  })
}

/** @returns the error of the last attempt, or null when all are applied */
async function applyMissing(client: Client, folder: string): Promise<Error | null> {
  try {
    await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable,
      singleTransaction: false,
      // The caller has a lock for all attempts.
      noLock: true,
      // The database may be of a newer release, or have a migration that was added to an older release.
      checkOrder: false,
      logger: silent,
    })
    return null
  } catch (error) {
    // The library does not end the failed transaction, because the client is the caller's.
    await client.query('ROLLBACK').catch(() => undefined)
    return error as Error
  }
}

/** Discards the library's output, which is in the error or the result of `migrate`. */
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

async function nameMigration(client: Client, folder: string, failure: Error): Promise<Error> {
  // For a lost connection, Postgres's last error is the reason.
  const applied = await appliedMigrations(client).catch(() => null)
  if (applied === null) return failure
  const name = (await migrationNames(folder)).find((each) => !applied.includes(each))
  return new Error(`migration ${name} failed and changed nothing: ${failure.message}`, { cause: failure })
}

/** A fingerprint of these migrations. It changes when one is added or edited. */
export async function migrationsFingerprint(): Promise<string> {
  const scripts = (await migrationNames()).map(async (name) => [
    name,
    await readFile(path.join(migrationsFolder, `${name}.sql`), 'utf8'),
  ])
  const content = JSON.stringify({ migrationsTable, scripts: await Promise.all(scripts) })
  return createHash('sha256').update(content).digest('hex').slice(0, 12)
}
