import type { Pool, PoolClient } from './connect-pool.ts'

/** Does work in a transaction, all of it or nothing. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  // A connection that breaks fails its statement; nobody else has to hear of it.
  client.on('error', ignore)
  let failure: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    // A connection that cannot even roll back is closed: what it would do next is not known.
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
  // The statement under way is told.
}
