import type { Pool } from '@ratchet/db/connect-pool'
import { runStatement } from '../ledger/pg-run-statement.ts'
import { idempotencyStatements } from './pg-idempotency-statements.ts'

export interface IdempotencySweepOptions {
  readonly pool: Pool
  /** Records deleted by one statement, ≥ 1; few, so that the statement is short. */
  readonly chunk?: number
  readonly timeoutMs?: number
}

/**
 * Deletes every expired record, chunk by chunk, and the counts of their bytes. Any process may call it at any time.
 *
 * @returns the number of deleted records
 */
export async function sweepIdempotency(options: IdempotencySweepOptions): Promise<number> {
  const { pool, chunk = 500, timeoutMs = 5_000 } = options
  const counts = { name: 'idempotency_sweepFree', text: idempotencyStatements.sweepFree, values: [], timeoutMs }
  await runStatement(pool, counts)
  const statement = { name: 'idempotency_sweep', text: idempotencyStatements.sweep, values: [chunk], timeoutMs }
  let deleted = 0
  for (;;) {
    const rows = await runStatement(pool, statement)
    deleted += rows.length
    if (rows.length < chunk) return deleted
  }
}
