import type { Pool } from './connect-pool.ts'
import { inTransaction } from './in-transaction.ts'

export interface PagedQuery {
  readonly text: string
  readonly values: readonly unknown[]
}

const pageSize = 5_000

/** Reads the rows of one statement, at one moment, with 5,000 in memory at a time. */
export function readInPages<R extends object>(
  pool: Pool,
  { text, values }: PagedQuery,
  onPage: (rows: readonly R[]) => void,
): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(`DECLARE pages NO SCROLL CURSOR FOR ${text}`, [...values])
    for (;;) {
      const { rows } = await client.query<R>(`FETCH ${pageSize} FROM pages`)
      onPage(rows)
      if (rows.length < pageSize) return
    }
  })
}
