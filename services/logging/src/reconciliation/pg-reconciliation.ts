import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { ChargedExchange, FindMissing, Reconciliation } from './reconciliation.ts'

export interface ReconciliationStores {
  /** A database with charges; it stores the last entry that was compared. */
  readonly ledger: Pool
  /** Searches the log. */
  readonly findMissing: FindMissing
}

/** Entries of the ledger, and charges, that one call reads, to keep its transaction short. */
const maxCharges = 5_000

/**
 * Finds the log rows that the charges of a ledger name, in the order of its entries, and stores the last entry that it
 * compared. One process does so at a time.
 *
 * @param before charges since then may still be on their way to the log, and are compared later
 * @returns null while another process compares
 */
export function reconcileCharges(
  { ledger, findMissing }: ReconciliationStores,
  before: Date,
  maxEntries = maxCharges,
): Promise<Reconciliation | null> {
  return inTransaction(ledger, async (client) => {
    const last = await takePosition(client)
    if (last === null) return null
    const { rows: charges } = await client.query<ChargeRow>(chargesStatement, [last, before, maxEntries])
    const position = charges.at(-1)?.entry_id
    if (position === undefined) return { compared: 0, missing: [], isBehind: false }
    await client.query('UPDATE log_reconciliation SET last_entry = $1 WHERE id = 1', [position])
    const logged = charges.flatMap(loggedExchange)
    return { compared: logged.length, missing: await findMissing(logged), isBehind: charges[0]?.is_behind === true }
  })
}

async function takePosition(client: PoolClient): Promise<string | null> {
  const text = 'SELECT last_entry FROM log_reconciliation WHERE id = 1 FOR UPDATE SKIP LOCKED'
  const { rows } = await client.query<Pick<Row<'logReconciliation', { last_entry: string }>, 'last_entry'>>(text)
  return rows[0]?.last_entry ?? null
}

/** An entry of a wallet; entries of other kinds only move the position. */
interface ChargeRow {
  readonly entry_id: string
  /** Null for entries without a row in the log. */
  readonly workspace_id: string | null
  readonly log_request_id: string | null
  readonly log_expires_on: string | null
  /** Whether older entries remain for the next call; the same in all rows. */
  readonly is_behind: boolean
}

function loggedExchange(row: ChargeRow): readonly ChargedExchange[] {
  const { workspace_id: workspaceId, log_request_id: requestId, log_expires_on: expiresOn } = row
  if (workspaceId === null || requestId === null || expiresOn === null) return []
  return [{ workspaceId, requestId, expiresOn }]
}

/**
 * $1 the last entry that was read, $2 the time before which entries are read, $3 the number of entries, and of charges
 * before the last of them, at most: the entry of a block stands for all of its charges. It stops
 * before the first newer entry, because ids are given before a statement commits: an entry with a lower id may still
 * appear beside new ones, but not beside old ones.
 */
const chargesStatement = `
  WITH entry AS (
    SELECT id, request_id, block_id, account, is_behind_new,
      coalesce(sum(charges) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) >= $3 AS is_beyond
    FROM (
      SELECT e.id, e.request_id, e.block_id, e.account, bool_or(e.at >= $2) OVER (ORDER BY e.id) AS is_behind_new,
        CASE WHEN e.account = 'wallet' THEN coalesce(b.charges, 1) ELSE 0 END AS charges
      FROM (SELECT id, request_id, block_id, account, at FROM ledger_entry WHERE id > $1 ORDER BY id LIMIT $3) e
      LEFT JOIN escrow_block b ON b.block_id = e.block_id
    ) page
  )
  SELECT e.id AS entry_id, c.wallet_id AS workspace_id, c.log_request_id, c.log_expires_on::text,
    (SELECT count(*) = $3 OR bool_or(is_beyond) FROM entry WHERE NOT is_behind_new) AS is_behind
  FROM entry e
  LEFT JOIN LATERAL (
    SELECT b.wallet_id, b.log_request_id, b.log_expires_on FROM billing_request b
    WHERE b.request_id = e.request_id AND e.account = 'wallet' AND b.log_expires_on > current_date
    UNION ALL
    SELECT c.wallet_id, c.log_request_id, c.log_expires_on FROM charge c
    WHERE c.block_id = e.block_id AND e.account = 'wallet' AND c.log_expires_on > current_date
  ) c ON true
  WHERE NOT e.is_behind_new AND NOT e.is_beyond
  ORDER BY e.id`
