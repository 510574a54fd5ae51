import type { Pool } from '@ratchet/db/connect-pool'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { OnLedgerEvent } from './ledger.ts'
import { type LedgerStatements, ledgerStatements } from './pg-ledger-statements.ts'
import { runStatement } from './pg-run-statement.ts'

export interface SweepOptions {
  readonly pool: Pool
  readonly onEvent: OnLedgerEvent
  /** Milliseconds between sweeps. Heartbeats must be more frequent. */
  readonly everyMs: number
  /** Number of consecutive sweeps without a heartbeat of an owner after which its holds are closed. */
  readonly missedSweeps?: number
  /** Milliseconds past its deadline after which a hold is closed whatever its owner does; longer than any request. */
  readonly abandonedAfterMs?: number
  readonly timeoutMs?: number
  readonly statements?: LedgerStatements
}

const rowsPerStatement = 500

/**
 * One sweep of blocks: seals the expired ones of owners that missed too many sweeps, and accounts what is sealed. An owner
 * usually accounts its own; then nothing is left to do here.
 */
export async function sweepBlocks(options: Omit<SweepOptions, 'everyMs'>): Promise<void> {
  const { pool, missedSweeps = 3, abandonedAfterMs = hourMs, timeoutMs = 5_000, onEvent } = options
  const { statements = ledgerStatements } = options
  const expired = await runStatement<{ block_id: string }>(pool, {
    name: 'ledger_seal_expired',
    text: statements.sealExpired,
    values: [missedSweeps, abandonedAfterMs, rowsPerStatement],
    timeoutMs,
  })
  for (const { block_id: blockId } of expired) onEvent({ kind: 'orphaned_block', blockId })
  const query = { name: 'ledger_sealed', text: statements.sealed, values: [rowsPerStatement], timeoutMs }
  const sealed = await runStatement<{ block_id: string }>(pool, query)
  if (sealed.length === 0) return
  const ids = sealed.map(({ block_id }) => block_id)
  await runStatement(pool, { name: 'ledger_book', text: statements.book, values: [ids], timeoutMs })
}

/**
 * One sweep: counts it against silent owners, then closes the expired holds of those that missed too many, at their
 * checkpoint. Any process may call it at any time; the database lets one sweep at a time run.
 *
 * @returns the number of closed holds
 */
export async function sweepLedger(options: SweepOptions): Promise<number> {
  const { pool, everyMs, missedSweeps = 3, abandonedAfterMs = hourMs, timeoutMs = 5_000, onEvent } = options
  const { statements = ledgerStatements } = options
  // counted at most once per interval, however many processes sweep; the factor allows for timers that fire early
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
