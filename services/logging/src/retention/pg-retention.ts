import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { sweepAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import { repeatStatement } from './pg-repeat-statement.ts'
import type { ExchangeRetention, RetentionReport } from './retention.ts'

/** A file has up to half a gigabyte. */
const filesPerStatement = 1
/** Hours after which an unfinished file or dataset counts as abandoned. */
const abandonedAfterHours = 6

/**
 * Deletes expired data: whole partitions whose day is over, and single rows of workspaces that were deleted or shortened
 * their retention. Datasets stay. One process sweeps at a time; returns null while another one does.
 */
export async function sweepLog(pool: Pool, exchanges: ExchangeRetention, now: Date): Promise<RetentionReport | null> {
  const client = await pool.connect()
  let failure: Error | undefined
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock(7402315004) AS locked')
    if (rows[0]?.locked !== true) return null
    return await sweep(client, exchanges, now)
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    // A connection that is closed releases its locks.
    if (failure === undefined) await client.query('SELECT pg_advisory_unlock_all()').catch(() => undefined)
    client.release(failure)
  }
}

async function sweep(client: PoolClient, exchanges: ExchangeRetention, now: Date): Promise<RetentionReport> {
  const swept = await exchanges.sweep(now)
  const deletedFiles = await deleteFiles(client)
  await deleteAbandoned(client, now)
  await sweepAnswers(client, 'logging_answer')
  await client.query('SELECT drop_families_of_deleted_workspaces()')
  await deleteSpans(client)
  await deleteFeedback(client)
  return { ...swept, deletedFiles }
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

/** Feedback expires with what it is about. */
async function deleteFeedback(client: PoolClient): Promise<void> {
  await client.query(`
    UPDATE feedback f SET expires_at = f.logged_at + w.retention_days * interval '1 day'
    FROM workspace_logging_settings w
    WHERE w.workspace_id = f.workspace_id AND f.expires_at > f.logged_at + w.retention_days * interval '1 day'`)
  await client.query('DELETE FROM feedback WHERE expires_at <= now()')
  await client.query(`
    DELETE FROM feedback f WHERE NOT EXISTS (SELECT 1 FROM workspace_logging_settings w WHERE w.workspace_id = f.workspace_id)`)
}

/** Deletes files of deleted workspaces. Datasets that were made of them stay. */
async function deleteFiles(client: PoolClient): Promise<number> {
  const text = `
    DELETE FROM file WHERE id IN (
      SELECT id FROM file f
      WHERE NOT EXISTS (SELECT 1 FROM workspace_logging_settings w WHERE w.workspace_id = f.workspace_id)
      LIMIT ${filesPerStatement})`
  return repeatStatement(() => client.query(text), filesPerStatement)
}

/**
 * Deletes files and datasets that were begun and never finished. One per statement, because each locks the count of bytes
 * of its workspace: a statement that waits for one must not hold another.
 */
async function deleteAbandoned(client: PoolClient, now: Date): Promise<void> {
  const before = new Date(now.getTime() - abandonedAfterHours * hourMs)
  const files = `
    DELETE FROM file WHERE id IN (SELECT id FROM file WHERE completed_at IS NULL AND created_at < $1 LIMIT 1)`
  await repeatStatement(() => client.query(files, [before]), 1)
  const datasets = `
    DELETE FROM dataset WHERE id IN (SELECT id FROM dataset WHERE frozen_at IS NULL AND status = 'ready' AND created_at < $1 LIMIT 1)`
  await repeatStatement(() => client.query(datasets, [before]), 1)
}
