import pg from 'pg'

/** The lock of a process that migrates. Releases before `schema_migration` use the same one. */
const lockKey = 7_282_438

/**
 * Runs `work` while no other process migrates the database. It waits for others without a limit. The lock belongs to the
 * session, so the connection must not go through a pooler that shares it between statements.
 */
export async function underMigrationLock<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  // The next statement of a broken connection fails anyway. Without a listener the event would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('SELECT pg_advisory_lock($1)', [lockKey])
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
