import type { Pool } from './connect-pool.ts'

/** What changes a wallet once for each reference. References are unique over all top-ups and corrections of all ledgers. */
export interface Referenced {
  readonly workspaceId: string
  /** Nano-dollars. */
  readonly amountNano: bigint
  readonly reference: string
  readonly kind: 'top_up' | 'correction'
}

/**
 * The main ledger may have entries that are older than claimed references: only its entries contain these references. A
 * correction may still be refused, so its claim counts only once it is posted.
 */
const claim = `
INSERT INTO top_up_reference (reference, workspace_id, amount, reason, is_posted)
SELECT $1, $2::uuid, $3::bigint, $4::ledger_reason, $4 = 'top_up' WHERE NOT EXISTS (
  SELECT FROM ledger_entry
  WHERE external_ref = $1 AND account = 'wallet'
    AND (wallet_id <> $2::uuid OR amount <> $3::bigint OR reason <> $4::ledger_reason)
)
ON CONFLICT (reference) DO NOTHING`

const claimed = `
SELECT FROM top_up_reference
WHERE workspace_id = $2::uuid AND reference = $1 AND amount = $3::bigint AND reason = $4::ledger_reason`

/**
 * Claims a reference, also again for the same change: a repetition after a failure completes it.
 *
 * @param main the database in which references are claimed
 * @returns false when the reference was used for something else
 */
export async function claimReference(
  main: Pick<Pool, 'query'>,
  { workspaceId, amountNano, reference, kind }: Referenced,
): Promise<boolean> {
  const values = [reference, workspaceId, amountNano, kind]
  await main.query(claim, values)
  return (await main.query(claimed, values)).rowCount !== 0
}
