import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { firstUuidV7At } from '@ratchet/service-kit/values/ids'
import { expiryDay } from '../exchanges/expiry-day.ts'
import { type DeletedRow, membersOf, moveBetweenBlocks, removeFromBlocks } from '../exchanges/pg-exchange-blocks.ts'
import { repeatStatement, rowsPerStatement } from './pg-repeat-statement.ts'
import type { ExchangeRetention } from './retention.ts'

interface WorkspaceRow extends Pick<Row<'exchange'>, 'workspace_id'> {
  /** Null when the workspace is deleted. */
  readonly retention_days: Row<'workspaceSettings'>['retention_days'] | null
}

/** Deletes exchanges in Postgres: complete partitions, and single rows. */
export function createPgExchangeRetention(pool: Pool): ExchangeRetention {
  return {
    async sweep(now) {
      const { rows: dropped } = await pool.query<{ count: number }>(
        'SELECT drop_expired_exchange_partitions() AS count',
      )
      let deletedRows = await deleteRows(pool, 'expires_on <= $1::date AND expires_at <= $2', [expiryDay(now), now])
      let shortenedRows = 0
      for (const { workspace_id: id, retention_days: days } of await loggedWorkspaces(pool)) {
        if (days === null) {
          deletedRows += await deleteRows(pool, 'workspace_id = $1', [id])
          continue
        }
        deletedRows += await deleteOutlived(pool, { workspaceId: id, days, now })
        shortenedRows += await shortenRows(pool, { workspaceId: id, days, now })
      }
      return { droppedPartitions: dropped[0]?.count ?? 0, deletedRows, shortenedRows }
    },
  }
}

/** Every workspace with rows. The recursion jumps along the index from one workspace to the next. */
async function loggedWorkspaces(pool: Pool): Promise<readonly WorkspaceRow[]> {
  const { rows } = await pool.query<WorkspaceRow>(`
    WITH RECURSIVE logged AS (
      (SELECT workspace_id FROM exchange ORDER BY workspace_id LIMIT 1)
      UNION ALL
      SELECT (SELECT e.workspace_id FROM exchange e WHERE e.workspace_id > logged.workspace_id
              ORDER BY e.workspace_id LIMIT 1)
      FROM logged WHERE logged.workspace_id IS NOT NULL
    )
    SELECT logged.workspace_id, s.retention_days FROM logged
    LEFT JOIN workspace_logging_settings s USING (workspace_id)
    WHERE logged.workspace_id IS NOT NULL`)
  return rows
}

async function deleteRows(pool: Pool, where: string, values: readonly unknown[]): Promise<number> {
  const text = `
    WITH due AS (SELECT expires_on, id FROM exchange WHERE ${where} LIMIT ${rowsPerStatement}),
    content AS (DELETE FROM exchange_content USING due WHERE (exchange_content.expires_on, exchange_content.id) = (due.expires_on, due.id))
    DELETE FROM exchange USING due WHERE (exchange.expires_on, exchange.id) = (due.expires_on, due.id)
    RETURNING exchange.id, exchange.expires_on::text AS day, exchange.block_id`
  return repeatStatement(() =>
    inTransaction(pool, async (client) => {
      const { rows, rowCount } = await client.query<DeletedRow>(text, [...values])
      await removeFromBlocks(client, membersOf(rows))
      return { rowCount }
    }),
  )
}

type MovedRow = DeletedRow & { readonly new_day: string }

interface Retention {
  readonly workspaceId: string
  /** Its retention. */
  readonly days: number
  readonly now: Date
}

/**
 * Deletes rows that are older than the retention, counted from their creation or, for imported ones, from the import.
 */
async function deleteOutlived(pool: Pool, { workspaceId, days, now }: Retention): Promise<number> {
  const before = new Date(now.getTime() - days * dayMs)
  const made = "workspace_id = $1 AND created_at <= $2 AND source <> 'import'"
  const imported = "workspace_id = $1 AND id < $2 AND source = 'import'"
  return (
    (await deleteRows(pool, made, [workspaceId, before])) +
    (await deleteRows(pool, imported, [workspaceId, firstUuidV7At(before.getTime())]))
  )
}

/**
 * When the retention of a row begins. Ids of imported rows are UUIDs of version 7, whose first 48 bits are the
 * milliseconds of the import.
 */
const retainedFrom = `CASE source WHEN 'import'
  THEN to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) ELSE created_at END`

/** Moves rows that expire after the shortened retention to the partition of their new day of expiry. */
async function shortenRows(pool: Pool, { workspaceId, days, now }: Retention): Promise<number> {
  const lastDay = expiryDay(new Date(now.getTime() + (days + 1) * dayMs))
  const late = 'SELECT 1 FROM exchange WHERE workspace_id = $1 AND expires_on > $2::date LIMIT 1'
  const { rowCount } = await pool.query(late, [workspaceId, lastDay])
  if (rowCount === 0) return 0
  await pool.query(
    'SELECT ensure_exchange_partition(day::date) FROM generate_series($1::date, $2::date, interval $$1 day$$) AS day',
    [expiryDay(now), lastDay],
  )
  const text = `
    WITH due AS (
      SELECT expires_on, id, block_id, ${retainedFrom} + make_interval(days => $3) AS until
      FROM exchange WHERE workspace_id = $1 AND expires_on > $2::date LIMIT ${rowsPerStatement}
    ),
    content AS (
      UPDATE exchange_content c SET expires_on = (due.until AT TIME ZONE 'UTC')::date FROM due
      WHERE (c.expires_on, c.id) = (due.expires_on, due.id)
    )
    UPDATE exchange e SET expires_at = due.until, expires_on = (due.until AT TIME ZONE 'UTC')::date FROM due
    WHERE (e.expires_on, e.id) = (due.expires_on, due.id)
    RETURNING e.id, due.expires_on::text AS day, e.expires_on::text AS new_day, e.block_id`
  return repeatStatement(() =>
    inTransaction(pool, async (client) => {
      const { rows, rowCount } = await client.query<MovedRow>(text, [workspaceId, lastDay, days])
      const newDays = new Map(rows.map(({ id, new_day: newDay }) => [id, newDay]))
      const moved = membersOf(rows).map((member) => ({ ...member, newDay: newDays.get(member.id) ?? member.day }))
      await moveBetweenBlocks(client, moved)
      return { rowCount }
    }),
  )
}
