import type { Pool } from './connect-pool.ts'
import { operatorRequest } from './operator-audit.ts'

/** One kind of work items, as an operator sees it. */
export interface WorkQueue {
  readonly queue: 'judgements' | 'eval samples' | 'mirrored requests'
  /** Items without a lease, including retries. */
  readonly pending: number
  /** Items that a worker can lease now: pending and due, or with an expired lease. */
  readonly due: number
  /** Seconds since the oldest due item became due; 0 when there is none. */
  readonly oldestDueSeconds: number
  /** Items that a worker has leased. */
  readonly leased: number
  /** Dead-lettered items. */
  readonly poisoned: number
}

/** Why work was dead-lettered. */
export interface DeadLetterReason {
  readonly queue: WorkQueue['queue']
  /** Purpose of the work, such as `online` or `scan`; null for a queue with one purpose. */
  readonly source: string | null
  readonly error: string
  readonly count: number
  /** The id of one row. */
  readonly example: string
}

/** Counts the work of each kind. */
export async function readWork(pool: Pick<Pool, 'query'>): Promise<readonly WorkQueue[]> {
  const { rows } = await pool.query<WorkQueue>(`
    SELECT queue, pending, due,
      greatest(0, coalesce(extract(epoch FROM now() - oldest_due_at), 0))::float8 AS "oldestDueSeconds",
      leased, dead_lettered AS poisoned
    FROM work_queue ORDER BY position`)
  return rows
}

/** Why work was dead-lettered, most frequent reason first. */
export async function readDeadLetterReasons(
  pool: Pick<Pool, 'query'>,
  { atMost }: { readonly atMost: number },
): Promise<readonly DeadLetterReason[]> {
  const text = `
    SELECT queue, source, error, sum(count)::int AS count, min(example) AS example
    FROM dead_letter GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT $1`
  const { rows } = await pool.query<DeadLetterReason>(text, [atMost])
  return rows
}

/** Dead-lettered work of one workspace with one reason. */
export interface DeadLetter extends DeadLetterReason {
  readonly workspaceId: string
  /** The workspace's address. */
  readonly slug: string
  readonly canRetry: boolean
}

/** The same by workspace, most frequent first, with the number of all. */
export async function listDeadLetters(
  pool: Pick<Pool, 'query'>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly found: readonly DeadLetter[] }> {
  const text = `
    SELECT d.queue, d.source, d.error, d.count, d.example, d.workspace_id AS "workspaceId", w.slug,
      d.can_retry AS "canRetry"
    FROM dead_letter d JOIN workspace w ON w.id = d.workspace_id
    ORDER BY d.count DESC, w.slug, d.queue, d.source, d.error, d.can_retry LIMIT $1 OFFSET $2`
  const counted = await pool.query<{ total: number }>(
    'SELECT count(*)::int AS total FROM dead_letter d JOIN workspace w ON w.id = d.workspace_id',
  )
  const { rows } = await pool.query<DeadLetter>(text, [limit, offset])
  return { total: counted.rows[0]?.total ?? 0, found: rows }
}

/**
 * Retries dead-lettered judgements of monitored traffic, as if they were new. Those of a run are not retried, because the
 * finished run has counted them; the run is started again instead. The audit of each workspace says how many there were.
 *
 * @returns their number
 */
export async function retryJudgements(pool: Pick<Pool, 'query'>): Promise<number> {
  const text = `
    WITH retried AS (
      UPDATE judgement SET state = 'pending', due_at = now(), attempts = 0, failures = 0, last_error = NULL
      WHERE state = 'poisoned' AND source = 'online' AND run_id IS NULL
      RETURNING workspace_id
    ), counted AS (
      SELECT workspace_id, count(*)::int AS count FROM retried GROUP BY workspace_id
    ), noted AS (
      INSERT INTO audit_event (id, workspace_id, action, subject, after, request_id, created_at)
        SELECT gen_random_uuid(), workspace_id, 'work.retried', 'judgements', json_build_object('retried', count)::text, $1, now()
        FROM counted ORDER BY workspace_id
    )
    SELECT coalesce(sum(count), 0)::int AS count FROM counted`
  const { rows } = await pool.query<{ count: number }>(text, [operatorRequest])
  return rows[0]?.count ?? 0
}
