import type { Pool, PoolClient } from './connect-pool.ts'

/** Runs work in a transaction. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // The statement of a broken connection fails anyway. Without a listener the event would end the process.
  client.on('error', ignore)
  let failure: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    // A connection that cannot roll back is closed, because its state is unknown.
    await client.query('ROLLBACK').catch((broken: Error) => {
      failure = broken
    })
    throw error
  } finally {
    client.off('error', ignore)
    client.release(failure)
  }
}

function ignore(): void {
  // The running statement fails.
}
