import type { Pool } from './connect-pool.ts'

export interface TopUp {
  readonly workspaceId: string
  /** Nano-dollars, 1..10^18 (a billion US dollars). */
  readonly amountNano: bigint
  /** Id of the payment, such as an invoice number; unique over all workspaces. */
  readonly reference: string
  /** The operator's reason. */
  readonly reason?: string
}

export interface ToppedUp {
  /** Nano-dollars after the top-up. */
  readonly balanceNano: bigint
  /** False when this top-up was already made. */
  readonly credited: boolean
}

/** The reference was used for another workspace or another amount. */
export class ReferenceTaken extends Error {
  override name = 'ReferenceTaken'
}

/** The most of one top-up or correction. */
export const maxAmountNano = 10n ** 18n

/*
 * One statement, so one transaction. The unique index on (external_ref, account) allows one credit; ON CONFLICT waits for
 * a concurrent one that has not committed yet. Ledger rows are written before the wallet is locked, and no statement that
 * locks a wallet waits for rows of a top-up, so there is no deadlock with holds.
 */
const entered = `
WITH entered AS (
  INSERT INTO ledger_entry (wallet_id, amount, account, reason, external_ref, note)
  SELECT $1::uuid, side.sign * $2::bigint, side.account, 'top_up', $3, $4
  FROM (VALUES ('wallet'::ledger_account, 1), ('funding', -1)) AS side(account, sign)
  ON CONFLICT DO NOTHING
  RETURNING account
)`

const credit = `
${entered}
INSERT INTO wallet (workspace_id, balance, version)
SELECT $1::uuid, $2::bigint, 1 FROM entered WHERE account = 'wallet'
ON CONFLICT (workspace_id) DO UPDATE SET balance = wallet.balance + excluded.balance, version = wallet.version + 1
RETURNING balance`

/** The same for a wallet that exists, for roles that may not create one. */
const creditExisting = `
${entered}
UPDATE wallet SET balance = balance + $2::bigint, version = version + 1
WHERE workspace_id = $1::uuid AND EXISTS (SELECT FROM entered WHERE account = 'wallet')
RETURNING balance`

/** What the wallet has now, after charges that are not booked yet. */
const balanceNow = 'SELECT balance FROM wallet_now WHERE workspace_id = $1'

const earlier = `
SELECT e.wallet_id, e.amount, e.reason, w.balance FROM ledger_entry e JOIN wallet_now w ON w.workspace_id = e.wallet_id
WHERE e.external_ref = $1 AND e.account = 'wallet'`

interface EarlierRow {
  readonly wallet_id: string
  readonly amount: string
  readonly reason: string
  readonly balance: string
}

/**
 * Credits a wallet, and creates it when the workspace has none. A repeated reference changes nothing, also from several
 * processes at once.
 *
 * @throws RangeError for an amount out of range or an empty reference
 * @throws ReferenceTaken when the reference was used for another top-up
 */
export async function topUp(
  pool: Pick<Pool, 'query'>,
  { workspaceId, amountNano, reference, reason }: TopUp,
  statement: string = credit,
): Promise<ToppedUp> {
  checkTopUp({ amountNano, reference })
  const values = [workspaceId, amountNano, reference, reason ?? null]
  const credited = await pool.query<{ balance: string }>(statement, values)
  if (credited.rows.length > 0) {
    const now = await pool.query<{ balance: string }>(balanceNow, [workspaceId])
    return { balanceNano: BigInt(now.rows[0]?.balance ?? 0), credited: true }
  }
  const known = await pool.query<EarlierRow>(earlier, [reference])
  const [before] = known.rows
  const isSame = before?.wallet_id === workspaceId && before.reason === 'top_up' && BigInt(before.amount) === amountNano
  if (!isSame) {
    throw new ReferenceTaken(`reference ${reference} was used for another top-up`)
  }
  return { balanceNano: BigInt(before.balance), credited: false }
}

/** The same with the rights of inference: the wallet is created empty first, by a function that can do nothing else. */
export async function topUpExisting(pool: Pick<Pool, 'query'>, credit: TopUp): Promise<ToppedUp> {
  checkTopUp(credit)
  await pool.query('SELECT ensure_wallet($1)', [credit.workspaceId])
  return topUp(pool, credit, creditExisting)
}

/** @throws RangeError for an amount out of range or an empty reference */
export function checkTopUp({ amountNano, reference }: Pick<TopUp, 'amountNano' | 'reference'>): void {
  if (amountNano < 1n || amountNano > maxAmountNano) throw new RangeError('a top-up must be 1 to 10^18 nano-dollars')
  if (reference === '') throw new RangeError('a top-up needs a reference')
}
