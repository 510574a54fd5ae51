import { claimReference } from './claim-reference.ts'
import type { Pool } from './connect-pool.ts'
import type { LedgerDatabase } from './credit-workspace.ts'
import { isUniqueViolation } from './is-unique-violation.ts'
import { maxAmountNano, ReferenceTaken } from './top-up.ts'

type Queries = Pick<Pool, 'query'>

/** What an operator gives to a wallet or takes from it, because something was charged or credited wrongly. */
export interface Correction {
  readonly workspaceId: string
  /** Nano-dollars, ±1..10^18. Negative: taken. */
  readonly amountNano: bigint
  /** Unique over all top-ups and corrections. */
  readonly reference: string
  /** The operator's reason. */
  readonly reason: string
}

export interface Corrected {
  readonly outcome: 'corrected' | 'repeated'
  /** Nano-dollars after the correction, or now for a repeated one. */
  readonly balanceNano: bigint
}

/** More than is free would be taken. Nothing is changed. */
export interface Uncovered {
  readonly outcome: 'uncovered'
  /** Nano-dollars that nothing holds; blocks hold too. */
  readonly freeNano: bigint
}

/** The claim may be gone: the same correction, sent at the same moment, was refused. */
const confirmClaim = `
INSERT INTO top_up_reference (reference, workspace_id, amount, reason) VALUES ($1, $2::uuid, $3::bigint, 'correction')
ON CONFLICT (reference) DO UPDATE SET is_posted = true WHERE NOT top_up_reference.is_posted`

const giveUpClaim = `
DELETE FROM top_up_reference WHERE workspace_id = $2::uuid AND reference = $1 AND amount = $3::bigint AND NOT is_posted`

/** One statement, so one transaction. A repetition at the same moment waits for the wallet, then breaks the unique index. */
const post = `
WITH changed AS (
  UPDATE wallet SET balance = balance + $3::bigint, version = version + 1
  WHERE workspace_id = $2::uuid AND balance - held + $3::bigint >= 0
    AND NOT EXISTS (SELECT FROM ledger_entry WHERE external_ref = $1 AND account = 'wallet')
  RETURNING workspace_id
)
INSERT INTO ledger_entry (wallet_id, amount, account, reason, external_ref, note)
SELECT workspace_id, side.sign * $3::bigint, side.account, 'correction', $1, $4
FROM changed, (VALUES ('wallet'::ledger_account, 1), ('funding', -1)) AS side(account, sign)`

const look = `
SELECT w.balance, w.balance - w.held AS free,
  EXISTS (SELECT FROM ledger_entry WHERE external_ref = $1 AND account = 'wallet') AS is_posted
FROM wallet_now w WHERE w.workspace_id = $2::uuid`

interface LookRow {
  readonly balance: string
  readonly free: string
  readonly is_posted: boolean
}

/**
 * Corrects a wallet in the ledger of its workspace, and creates an empty one when there is none. What running requests and
 * blocks hold is not taken. A repeated reference changes nothing, also from several processes at once.
 *
 * @param main the database in which references are claimed
 * @throws RangeError for an amount out of range or an empty reference
 * @throws ReferenceTaken when the reference was used for a top-up or another correction, in whatever ledger
 */
export async function correctWallet(
  main: Queries,
  { pool }: Pick<LedgerDatabase, 'pool'>,
  { workspaceId, amountNano, reference, reason }: Correction,
): Promise<Corrected | Uncovered> {
  const size = amountNano < 0n ? -amountNano : amountNano
  if (size < 1n || size > maxAmountNano)
    throw new RangeError('a correction must be 1 to 10^18 nano-dollars, or as much below 0')
  if (reference === '') throw new RangeError('a correction needs a reference')
  if (!(await claimReference(main, { workspaceId, amountNano, reference, kind: 'correction' }))) {
    throw new ReferenceTaken(`reference ${reference} was used for something else`)
  }
  const values = [reference, workspaceId, amountNano]
  await pool.query('SELECT ensure_wallet($1)', [workspaceId])
  const isPosted = await postOnce(pool, [...values, reason])
  const { rows } = await pool.query<LookRow>(look, [reference, workspaceId])
  const [now] = rows
  if (!isPosted && now?.is_posted !== true) {
    await main.query(giveUpClaim, values)
    return { outcome: 'uncovered', freeNano: BigInt(now?.free ?? 0) }
  }
  await main.query(confirmClaim, values)
  return { outcome: isPosted ? 'corrected' : 'repeated', balanceNano: BigInt(now?.balance ?? 0) }
}

async function postOnce(pool: Queries, values: readonly unknown[]): Promise<boolean> {
  try {
    return (await pool.query(post, [...values])).rowCount === 2
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}
