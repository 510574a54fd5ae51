import type { Pool } from '@ratchet/db/connect-pool'
import { runStatement } from './pg-run-statement.ts'

/**
 * Creates the partitions of the charges of this month and the next two. Without one a charge lands in the default
 * partition and is right as well, so a failure only has to be seen.
 */
export async function ensureChargePartitions({ pool, timeoutMs }: { pool: Pool; timeoutMs: number }): Promise<void> {
  const text = 'SELECT ensure_charge_partitions()'
  await runStatement(pool, { name: 'ledger_partitions', text, values: [], timeoutMs })
}
