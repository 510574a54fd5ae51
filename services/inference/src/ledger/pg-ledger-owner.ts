import type { Pool } from '@ratchet/db/connect-pool'
import { type LedgerStatements, ledgerStatements } from './pg-ledger-statements.ts'
import { runStatement } from './pg-run-statement.ts'

export interface LedgerOwnerOptions {
  readonly pool: Pool
  readonly ownerId: string
  readonly timeoutMs?: number
  readonly statements?: LedgerStatements
}

/** Reports that this process is alive, so that no sweep closes its holds. */
export async function beat({
  pool,
  ownerId,
  timeoutMs = 2_000,
  statements = ledgerStatements,
}: LedgerOwnerOptions): Promise<void> {
  await runStatement(pool, { name: 'ledger_heartbeat', text: statements.heartbeat, values: [ownerId], timeoutMs })
}

/**
 * Reports that this process takes no more holds. Its open holds can then be closed without waiting for missed
 * sweeps.
 */
export async function retire({
  pool,
  ownerId,
  timeoutMs = 2_000,
  statements = ledgerStatements,
}: LedgerOwnerOptions): Promise<void> {
  await runStatement(pool, { name: 'ledger_retire', text: statements.retire, values: [ownerId], timeoutMs })
}
