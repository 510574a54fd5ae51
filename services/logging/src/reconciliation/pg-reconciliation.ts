import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { MissingExchange, Reconciliation } from './reconciliation.ts'

/** Entries of the ledger that one call reads, so that it takes less than a second. */
const maxEntries = 5_000

/**
 * Looks for the log rows that charges name, in the order of the ledger's entries, and remembers how far it came. One
 * process does so at a time.
 *
 * @param before charges since then may still be on their way to the log, and are compared later
 * @returns null while another process compares
 */
export function reconcileCharges(pool: Pool, before: Date): Promise<Reconciliation | null> {
  return inTransaction(pool, async (client) => {
    const last = await takePosition(client)
    if (last === null) return null
    const { rows: charges } = await client.query<ChargeRow>(chargesStatement, [last, before, maxEntries])
    const position = charges.at(-1)?.entry_id
    if (position === undefined) return { compared: 0, missing: [], isBehind: false }
    await client.query('UPDATE log_reconciliation SET last_entry = $1 WHERE id = 1', [position])
    const logged = charges.filter(isLogged)
    const missing = await withoutMoved(
      client,
      logged.filter(({ is_stored }) => !is_stored),
    )
    return { compared: logged.length, missing, isBehind: charges.length === maxEntries }
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
  readonly is_stored: boolean
}

type LoggedChargeRow = ChargeRow & { readonly workspace_id: string; readonly log_request_id: string }

function isLogged(row: ChargeRow): row is LoggedChargeRow {
  return row.log_request_id !== null
}

/**
 * $1 the last entry that was read, $2 the time before which entries are read, $3 their number. It stops before the first
 * newer entry, because ids are given before a statement commits: an entry with a lower id may still appear beside new
 * ones, but not beside old ones.
 */
const chargesStatement = `
  SELECT e.id AS entry_id, b.wallet_id AS workspace_id, b.log_request_id, x.request_id IS NOT NULL AS is_stored
  FROM (
    SELECT id, request_id, account FROM ledger_entry
    WHERE id > $1 AND id < coalesce((SELECT min(id) FROM ledger_entry WHERE id > $1 AND at >= $2), 9223372036854775807)
    ORDER BY id LIMIT $3
  ) e
  LEFT JOIN billing_request b ON b.request_id = e.request_id AND e.account = 'wallet' AND b.log_expires_on > current_date
  LEFT JOIN exchange x
    ON x.expires_on = b.log_expires_on AND x.workspace_id = b.wallet_id AND x.request_id = b.log_request_id
  ORDER BY e.id`

/** Leaves out rows that expire on another day than at first, because their workspace shortened its retention. */
async function withoutMoved(client: PoolClient, rows: readonly LoggedChargeRow[]): Promise<readonly MissingExchange[]> {
  const missing: MissingExchange[] = []
  for (const { workspace_id: workspaceId, log_request_id: requestId } of rows) {
    const { rowCount } = await client.query(movedStatement, [workspaceId, requestId])
    if (rowCount === 0) missing.push({ workspaceId, requestId })
  }
  return missing
}

const movedStatement = 'SELECT 1 FROM exchange WHERE workspace_id = $1 AND request_id = $2 LIMIT 1'
