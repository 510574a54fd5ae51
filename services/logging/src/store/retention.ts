import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { firstUuidV7At } from '@ratchet/service-kit/ids'
import type { RetentionReport } from '../domain/retention-report.ts'
import { expiryDay } from './partitions.ts'

interface WorkspaceRow {
  readonly workspace_id: string
  /** Null when the workspace is deleted. */
  readonly retention_days: number | null
}

/** Rows that one statement changes: each lasts a second or so, and holds up nobody. */
const rowsPerStatement = 1_000
/** Files have up to half a gigabyte each. */
const filesPerStatement = 1
const dayMs = 86_400_000

/**
 * Removes what has to be gone: days that are over as a whole, single rows where a workspace was deleted or keeps its
 * log for less time than it did. Datasets stay. One process at a time; null while another one is at it.
 */
export async function sweepLog(pool: Pool, now: Date): Promise<RetentionReport | null> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock(7402315004) AS locked')
    if (rows[0]?.locked !== true) return null
    return await sweep(client, now)
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    // A connection that is closed gives its locks back.
    if (failure === undefined) await client.query('SELECT pg_advisory_unlock_all()').catch(() => undefined)
    client.release(failure)
  }
}

async function sweep(client: PoolClient, now: Date): Promise<RetentionReport> {
  const { rows: dropped } = await client.query<{ count: number }>('SELECT drop_expired_exchange_partitions() AS count')
  let deletedRows = await deleteRows(client, 'expires_on <= $1::date AND expires_at <= $2', [expiryDay(now), now])
  let shortenedRows = 0
  for (const { workspace_id: id, retention_days: days } of await loggedWorkspaces(client)) {
    if (days === null) {
      deletedRows += await deleteRows(client, 'workspace_id = $1', [id])
      continue
    }
    deletedRows += await deleteOutlived(client, { workspaceId: id, days, now })
    shortenedRows += await shortenRows(client, { workspaceId: id, days, now })
  }
  const deletedFiles = await deleteFiles(client)
  await client.query('SELECT drop_families_of_deleted_workspaces()')
  await deleteSpans(client)
  return { droppedPartitions: dropped[0]?.count ?? 0, deletedRows, shortenedRows, deletedFiles }
}

/** Every workspace with rows, found by jumping along the index from one to the next. */
async function loggedWorkspaces(client: PoolClient): Promise<readonly WorkspaceRow[]> {
  const { rows } = await client.query<WorkspaceRow>(`
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

async function deleteRows(client: PoolClient, where: string, values: readonly unknown[]): Promise<number> {
  const text = `
    WITH due AS (SELECT expires_on, id FROM exchange WHERE ${where} LIMIT ${rowsPerStatement}),
    content AS (DELETE FROM exchange_content USING due WHERE (exchange_content.expires_on, exchange_content.id) = (due.expires_on, due.id))
    DELETE FROM exchange USING due WHERE (exchange.expires_on, exchange.id) = (due.expires_on, due.id)`
  return repeat(() => client.query(text, [...values]))
}

interface Keeping {
  readonly workspaceId: string
  /** For which the workspace keeps its log. */
  readonly days: number
  readonly now: Date
}

/** What has been there for so long: since it was made, or was imported. */
async function deleteOutlived(client: PoolClient, { workspaceId, days, now }: Keeping): Promise<number> {
  const before = new Date(now.getTime() - days * dayMs)
  const made = "workspace_id = $1 AND created_at <= $2 AND source <> 'import'"
  const imported = "workspace_id = $1 AND id < $2 AND source = 'import'"
  return (
    (await deleteRows(client, made, [workspaceId, before])) +
    (await deleteRows(client, imported, [workspaceId, firstUuidV7At(before.getTime())]))
  )
}

/** When the retention of a row begins: the ids of imported ones are UUIDs of version 7, whose first 48 bits are milliseconds. */
const keptFrom = `CASE source WHEN 'import'
  THEN to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) ELSE created_at END`

/** Rows move to the day on which they expire now. Any longer retention ends far beyond the days looked at here. */
async function shortenRows(client: PoolClient, { workspaceId, days, now }: Keeping): Promise<number> {
  const lastDay = expiryDay(new Date(now.getTime() + (days + 1) * dayMs))
  const late = 'SELECT 1 FROM exchange WHERE workspace_id = $1 AND expires_on > $2::date LIMIT 1'
  const { rowCount } = await client.query(late, [workspaceId, lastDay])
  if (rowCount === 0) return 0
  await client.query(
    'SELECT ensure_exchange_partition(day::date) FROM generate_series($1::date, $2::date, interval $$1 day$$) AS day',
    [expiryDay(now), lastDay],
  )
  const text = `
    WITH due AS (
      SELECT expires_on, id, ${keptFrom} + make_interval(days => $3) AS until
      FROM exchange WHERE workspace_id = $1 AND expires_on > $2::date LIMIT ${rowsPerStatement}
    ),
    content AS (
      UPDATE exchange_content c SET expires_on = (due.until AT TIME ZONE 'UTC')::date FROM due
      WHERE (c.expires_on, c.id) = (due.expires_on, due.id)
    )
    UPDATE exchange e SET expires_at = due.until, expires_on = (due.until AT TIME ZONE 'UTC')::date FROM due
    WHERE (e.expires_on, e.id) = (due.expires_on, due.id)`
  return repeat(() => client.query(text, [workspaceId, lastDay, days]))
}

async function deleteSpans(client: PoolClient): Promise<void> {
  // Spans go with the exchanges of their time when a workspace keeps its log for less time than it did.
  await client.query(`
    UPDATE span s SET expires_at = s.started_at + w.retention_days * interval '1 day'
    FROM workspace_logging_settings w
    WHERE w.workspace_id = s.workspace_id AND s.expires_at > s.started_at + w.retention_days * interval '1 day'`)
  await client.query('DELETE FROM span WHERE expires_at <= now()')
  await client.query(`
    DELETE FROM span s WHERE NOT EXISTS (SELECT 1 FROM workspace_logging_settings w WHERE w.workspace_id = s.workspace_id)`)
}

/** Files belong to nobody when their workspace is deleted; datasets that were made of them stay. */
async function deleteFiles(client: PoolClient): Promise<number> {
  const text = `
    DELETE FROM file WHERE id IN (
      SELECT id FROM file f
      WHERE NOT EXISTS (SELECT 1 FROM workspace_logging_settings w WHERE w.workspace_id = f.workspace_id)
      LIMIT ${filesPerStatement})`
  return repeat(() => client.query(text), filesPerStatement)
}

/** Until a statement finds less than it may change. */
async function repeat(
  run: () => Promise<{ readonly rowCount: number | null }>,
  most = rowsPerStatement,
): Promise<number> {
  let rows = 0
  for (;;) {
    const { rowCount } = await run()
    rows += rowCount ?? 0
    if ((rowCount ?? 0) < most) return rows
  }
}
