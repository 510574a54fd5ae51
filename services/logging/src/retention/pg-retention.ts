import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { firstUuidV7At } from '@ratchet/service-kit/values/ids'
import { expiryDay } from '../exchanges/expiry-day.ts'
import { type DeletedRow, membersOf, moveBetweenBlocks, removeFromBlocks } from '../exchanges/pg-exchange-blocks.ts'

/** The result of one sweep of the log. */
export interface RetentionReport {
  /** Partitions whose day is over. */
  readonly droppedPartitions: number
  /** Expired rows, and rows of deleted workspaces. */
  readonly deletedRows: number
  /** Rows whose expiry was brought forward, because their workspace shortened its retention. */
  readonly shortenedRows: number
  /** Files of deleted workspaces. */
  readonly deletedFiles: number
}

interface WorkspaceRow extends Pick<Row<'exchange'>, 'workspace_id'> {
  /** Null when the workspace is deleted. */
  readonly retention_days: Row<'workspaceSettings'>['retention_days'] | null
}

/** Rows that one statement changes at most, so that it takes about a second and blocks no other statement for long. */
const rowsPerStatement = 1_000
/** A file has up to half a gigabyte. */
const filesPerStatement = 1

/**
 * Deletes expired data: whole partitions whose day is over, and single rows of workspaces that were deleted or shortened
 * their retention. Datasets stay. One process sweeps at a time; returns null while another one does.
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
    // A connection that is closed releases its locks.
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

/** Every workspace with rows. The recursion jumps along the index from one workspace to the next. */
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
    DELETE FROM exchange USING due WHERE (exchange.expires_on, exchange.id) = (due.expires_on, due.id)
    RETURNING exchange.id, exchange.expires_on::text AS day, exchange.block_id`
  return repeat(() =>
    within(client, async () => {
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
async function deleteOutlived(client: PoolClient, { workspaceId, days, now }: Retention): Promise<number> {
  const before = new Date(now.getTime() - days * dayMs)
  const made = "workspace_id = $1 AND created_at <= $2 AND source <> 'import'"
  const imported = "workspace_id = $1 AND id < $2 AND source = 'import'"
  return (
    (await deleteRows(client, made, [workspaceId, before])) +
    (await deleteRows(client, imported, [workspaceId, firstUuidV7At(before.getTime())]))
  )
}

/**
 * When the retention of a row begins. Ids of imported rows are UUIDs of version 7, whose first 48 bits are the
 * milliseconds of the import.
 */
const retainedFrom = `CASE source WHEN 'import'
  THEN to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) ELSE created_at END`

/** Moves rows that expire after the shortened retention to the partition of their new day of expiry. */
async function shortenRows(client: PoolClient, { workspaceId, days, now }: Retention): Promise<number> {
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
  return repeat(() =>
    within(client, async () => {
      const { rows, rowCount } = await client.query<MovedRow>(text, [workspaceId, lastDay, days])
      const newDays = new Map(rows.map(({ id, new_day: newDay }) => [id, newDay]))
      const moved = membersOf(rows).map((member) => ({ ...member, newDay: newDays.get(member.id) ?? member.day }))
      await moveBetweenBlocks(client, moved)
      return { rowCount }
    }),
  )
}

async function deleteSpans(client: PoolClient): Promise<void> {
  // A shortened retention applies to spans like to exchanges.
  await client.query(`
    UPDATE span s SET expires_at = s.started_at + w.retention_days * interval '1 day'
    FROM workspace_logging_settings w
    WHERE w.workspace_id = s.workspace_id AND s.expires_at > s.started_at + w.retention_days * interval '1 day'`)
  await client.query('DELETE FROM span WHERE expires_at <= now()')
  await client.query(`
    DELETE FROM span s WHERE NOT EXISTS (SELECT 1 FROM workspace_logging_settings w WHERE w.workspace_id = s.workspace_id)`)
}

/** Deletes files of deleted workspaces. Datasets that were made of them stay. */
async function deleteFiles(client: PoolClient): Promise<number> {
  const text = `
    DELETE FROM file WHERE id IN (
      SELECT id FROM file f
      WHERE NOT EXISTS (SELECT 1 FROM workspace_logging_settings w WHERE w.workspace_id = f.workspace_id)
      LIMIT ${filesPerStatement})`
  return repeat(() => client.query(text), filesPerStatement)
}

/** Runs statements of a sweep in a transaction. */
async function within<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Repeats a statement until it changes fewer rows than its maximum. */
async function repeat(
  run: () => Promise<{ readonly rowCount: number | null }>,
  maxRows = rowsPerStatement,
): Promise<number> {
  let rows = 0
  for (;;) {
    const { rowCount } = await run()
    rows += rowCount ?? 0
    if ((rowCount ?? 0) < maxRows) return rows
  }
}
