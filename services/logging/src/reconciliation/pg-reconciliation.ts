import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { MissingExchange, Reconciliation } from './reconciliation.ts'

/** Entries of the ledger, and charges, that one call reads, to keep its transaction short. */
const maxCharges = 5_000

export interface ComparedDatabases {
  /** A database with charges; it stores the last entry that was compared. */
  readonly ledger: Pool
  /** The database with the log; absent: the same one. */
  readonly log?: Pool | undefined
}

/**
 * Finds the log rows that the charges of a ledger name, in the order of its entries, and stores the last entry that it
 * compared. One process does so at a time.
 *
 * @param before charges since then may still be on their way to the log, and are compared later
 * @returns null while another process compares
 */
export function reconcileCharges(
  { ledger, log }: ComparedDatabases,
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
    const logged = charges.filter(isLogged)
    const missing = await withoutStored(log ?? client, logged)
    return { compared: logged.length, missing, isBehind: charges[0]?.is_behind === true }
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
  /** The day as text. */
  readonly log_expires_on: string | null
  /** Whether older entries remain for the next call; the same in all rows. */
  readonly is_behind: boolean
}

type LoggedChargeRow = ChargeRow & {
  readonly workspace_id: string
  readonly log_request_id: string
  readonly log_expires_on: string
}

function isLogged(row: ChargeRow): row is LoggedChargeRow {
  return row.log_request_id !== null
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
  SELECT e.id AS entry_id, c.wallet_id AS workspace_id, c.log_request_id, c.log_expires_on::text AS log_expires_on,
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

/**
 * Leaves out rows that the log has: on the day that the charge names, or on another one, because their workspace shortened
 * its retention. Only the second search reads the log of every day.
 */
async function withoutStored(
  log: Pick<PoolClient, 'query'>,
  rows: readonly LoggedChargeRow[],
): Promise<readonly MissingExchange[]> {
  if (rows.length === 0) return []
  const days = rows.map((row) => row.log_expires_on)
  const { rows: elsewhere } = await log.query<MissingRow>(notOnTheirDay, [...idsOf(rows), days])
  if (elsewhere.length === 0) return []
  const { rows: missing } = await log.query<MissingRow>(missingStatement, [
    elsewhere.map((row) => row.workspace_id),
    elsewhere.map((row) => row.request_id),
  ])
  return missing.map((row) => ({ workspaceId: row.workspace_id, requestId: row.request_id }))
}

function idsOf(rows: readonly LoggedChargeRow[]): readonly [readonly string[], readonly string[]] {
  return [rows.map((row) => row.workspace_id), rows.map((row) => row.log_request_id)]
}

interface MissingRow {
  readonly workspace_id: string
  readonly request_id: string
}

/** $1 workspaces, $2 requests and $3 days of charges. */
const notOnTheirDay = `
  SELECT m.workspace_id, m.request_id
  FROM unnest($1::uuid[], $2::uuid[], $3::date[]) AS m(workspace_id, request_id, expires_on)
  LEFT JOIN exchange x USING (expires_on, workspace_id, request_id)
  WHERE x.request_id IS NULL`

/** $1 workspaces and $2 requests of charges, each request once. */
const missingStatement = `
  SELECT DISTINCT m.workspace_id, m.request_id FROM unnest($1::uuid[], $2::uuid[]) AS m(workspace_id, request_id)
  WHERE NOT EXISTS (
    SELECT 1 FROM exchange x WHERE x.workspace_id = m.workspace_id AND x.request_id = m.request_id
  )`
