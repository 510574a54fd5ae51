import type { Pool } from '@ratchet/db/connect-pool'
import { runStatement } from '../ledger/pg-run-statement.ts'
import { idempotencyStatements } from './pg-idempotency-statements.ts'

export interface IdempotencySweepOptions {
  readonly pool: Pool
  /** Records forgotten by one statement, ≥ 1: few enough that it is short. */
  readonly chunk?: number
  readonly timeoutMs?: number
}

/**
 * Forgets every record whose time is over, chunk by chunk. Any process may call it at any time.
 *
 * @returns how many were forgotten.
 */
export async function sweepIdempotency(options: IdempotencySweepOptions): Promise<number> {
  const { pool, chunk = 500, timeoutMs = 5_000 } = options
  const statement = { name: 'idempotency_sweep', text: idempotencyStatements.sweep, values: [chunk], timeoutMs }
  let forgotten = 0
  for (;;) {
    const rows = await runStatement(pool, statement)
    forgotten += rows.length
    if (rows.length < chunk) return forgotten
  }
}
