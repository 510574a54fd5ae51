import type { Pool } from './connect-pool.ts'

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

interface QueueRows {
  readonly queue: WorkQueue['queue']
  readonly table: string
  readonly source: string
  /** Condition of rows that the service will process. */
  readonly doable: string
}

/** Samples of a cancelled eval and requests for a removed shadow remain, but are not processed. */
const queues: readonly QueueRows[] = [
  { queue: 'judgements', table: 'judgement', source: 'source::text', doable: 'judgement s WHERE true' },
  {
    queue: 'eval samples',
    table: 'eval_sample',
    source: 'NULL::text',
    doable: `eval_run r JOIN eval_sample s ON s.run_id = r.id
      WHERE (r.status IN ('PENDING', 'RUNNING') OR (r.status = 'CANCELLED' AND r.report IS NULL))
        AND (r.status <> 'CANCELLED' OR (s.state = 'leased' AND s.due_at > now()))`,
  },
  {
    queue: 'mirrored requests',
    table: 'shadow_sample',
    source: 'NULL::text',
    doable: `shadow_sample s
      JOIN alias a ON a.id = s.alias_id AND a.shadow_model = s.model AND a.shadow_percent > 0 WHERE true`,
  },
]

/** Counts the work of each kind. Each figure is read separately, from a small index. */
export async function readWork(pool: Pick<Pool, 'query'>): Promise<readonly WorkQueue[]> {
  const parts = queues.map(
    ({ queue, table, doable }, position) => `
    SELECT ${position} AS position, '${queue}' AS queue,
      (SELECT count(*)::int FROM ${doable} AND s.state = 'pending') AS pending, due.rows AS due,
      greatest(0, coalesce(extract(epoch FROM now() - due.oldest), 0))::float8 AS "oldestDueSeconds",
      (SELECT count(*)::int FROM ${doable} AND s.state = 'leased') AS leased,
      (SELECT count(*)::int FROM ${table} WHERE state = 'poisoned') AS poisoned
    FROM (SELECT count(*)::int AS rows, min(s.due_at) AS oldest
      FROM ${doable} AND s.state IN ('pending', 'leased') AND s.due_at <= now()) AS due`,
  )
  const { rows } = await pool.query<WorkQueue & { position: number }>(`${parts.join(' UNION ALL ')} ORDER BY 1`)
  return rows.map(({ position: _, ...queue }) => queue)
}

/** Why work was dead-lettered, most frequent reason first. */
export async function readDeadLetterReasons(
  pool: Pick<Pool, 'query'>,
  { atMost }: { readonly atMost: number },
): Promise<readonly DeadLetterReason[]> {
  const parts = queues.map(
    ({ queue, table, source }) => `
    SELECT '${queue}' AS queue, ${source} AS source, coalesce(last_error, '') AS error, count(*)::int AS count,
      min(id::text) AS example
    FROM ${table} WHERE state = 'poisoned' GROUP BY 2, 3`,
  )
  const { rows } = await pool.query<DeadLetterReason>(
    `${parts.join(' UNION ALL ')} ORDER BY count DESC, 1, 2, 3 LIMIT $1`,
    [atMost],
  )
  return rows
}

/**
 * Retries dead-lettered judgements of monitored traffic, as if they were new. Those of a run are not retried, because the
 * finished run has counted them; the run is started again instead.
 *
 * @returns their number
 */
export async function retryJudgements(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rowCount } = await pool.query(`
    UPDATE judgement SET state = 'pending', due_at = now(), attempts = 0, failures = 0, last_error = NULL
    WHERE state = 'poisoned' AND source = 'online' AND run_id IS NULL`)
  return rowCount ?? 0
}
