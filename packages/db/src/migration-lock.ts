import pg from 'pg'

/** Held by whoever migrates this database. Prisma's engine has a lock of its own, and gives up on it after 10 seconds. */
const lockKey = 7_282_438

/**
 * Does work while no other process migrates the database; waits for one that does, however long it takes. The lock is a
 * session's: it needs a connection that a pooler does not share out statement by statement.
 */
export async function underMigrationLock<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  // One that breaks fails the next statement on it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT pg_advisory_lock($1)', [lockKey])
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Names of migrations that the database has, in order. */
export async function finishedMigrations(client: pg.Client): Promise<readonly string[]> {
  return migrationsWhere(client, 'finished_at IS NOT NULL AND rolled_back_at IS NULL')
}

/** Names of migrations that were begun and not finished. */
export async function unfinishedMigrations(client: pg.Client): Promise<readonly string[]> {
  return migrationsWhere(client, 'finished_at IS NULL AND rolled_back_at IS NULL')
}

async function migrationsWhere(client: pg.Client, condition: string): Promise<readonly string[]> {
  const { rows: tables } = await client.query("SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found")
  if (tables[0]?.found !== true) return []
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT migration_name AS name FROM _prisma_migrations WHERE ${condition} ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}
