import type { Pool } from '@ratchet/db/connect-pool'
import type { OnLedgerEvent } from './ledger.ts'
import { type LedgerStatements, ledgerStatements } from './pg-ledger-statements.ts'
import { runStatement } from './pg-run-statement.ts'

export interface SweepOptions {
  readonly pool: Pool
  readonly onEvent: OnLedgerEvent
  /** Milliseconds between sweeps; owners must beat more often. */
  readonly everyMs: number
  /** Sweeps in a row that must have heard nothing of an owner before its holds are given up. */
  readonly missedSweeps?: number
  /** Milliseconds past its deadline after which a hold is given up whoever owns it; longer than any request. */
  readonly abandonedAfterMs?: number
  readonly timeoutMs?: number
  readonly statements?: LedgerStatements
}

const rowsPerStatement = 500

/**
 * One sweep: counts it against silent owners, then gives up, at their checkpoint, the expired holds of
 * those that missed too many. Any process may call it at any time; the database lets one sweep at once.
 *
 * @returns how many holds were given up.
 */
export async function sweepLedger(options: SweepOptions): Promise<number> {
  const { pool, everyMs, missedSweeps = 3, abandonedAfterMs = 3_600_000, timeoutMs = 5_000, onEvent } = options
  const { statements = ledgerStatements } = options
  // counted at most once per interval, however many processes sweep; a little early is still in time
  const countedBeforeMs = Math.floor(everyMs * 0.8)
  await runStatement(pool, {
    name: 'ledger_count_missed',
    text: statements.countMissed,
    values: [countedBeforeMs],
    timeoutMs,
  })
  let swept = 0
  for (;;) {
    const rows = await runStatement<{ request_id: string; cost: string }>(pool, {
      name: 'ledger_sweep',
      text: statements.sweep,
      values: [missedSweeps, abandonedAfterMs, rowsPerStatement],
      timeoutMs,
    })
    for (const row of rows) onEvent({ kind: 'orphaned_hold', billingId: row.request_id, chargedNano: BigInt(row.cost) })
    swept += rows.length
    if (rows.length < rowsPerStatement) return swept
  }
}
