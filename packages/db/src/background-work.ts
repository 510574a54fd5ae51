import type { Pool } from './connect-pool.ts'

/** One kind of work that is rows, as an operator looks at it. */
export interface WorkQueue {
  readonly queue: 'judgements' | 'eval samples' | 'mirrored requests'
  /** Not taken on yet, retries among them. */
  readonly pending: number
  /** Of the pending, how many should be under way by now. */
  readonly due: number
  /** Seconds since the oldest of those became due; 0 when there is none. */
  readonly oldestDueSeconds: number
  /** Somebody works on it. */
  readonly leased: number
  /** Given up for good. */
  readonly poisoned: number
}

/** Why work was given up. */
export interface PoisonReason {
  readonly queue: WorkQueue['queue']
  /** What the work was for, such as `online` or `scan`; null where a queue has one use. */
  readonly source: string | null
  readonly error: string
  readonly count: number
  /** The id of one row. */
  readonly example: string
}

const queues = [
  { queue: 'judgements', table: 'judgement', source: 'source::text' },
  { queue: 'eval samples', table: 'eval_sample', source: 'NULL::text' },
  { queue: 'mirrored requests', table: 'shadow_sample', source: 'NULL::text' },
] as const

/** How much work there is of each kind. */
export async function readWork(pool: Pick<Pool, 'query'>): Promise<readonly WorkQueue[]> {
  const parts = queues.map(
    ({ queue, table }, position) => `
    SELECT ${position} AS position, '${queue}' AS queue,
      (count(*) FILTER (WHERE state = 'pending'))::int AS pending,
      (count(*) FILTER (WHERE state = 'pending' AND due_at <= now()))::int AS due,
      coalesce(extract(epoch FROM now() - min(due_at) FILTER (WHERE state = 'pending' AND due_at <= now())), 0)::float
        AS "oldestDueSeconds",
      (count(*) FILTER (WHERE state = 'leased'))::int AS leased,
      (count(*) FILTER (WHERE state = 'poisoned'))::int AS poisoned
    FROM ${table} WHERE state IN ('pending', 'leased', 'poisoned')`,
  )
  const { rows } = await pool.query<WorkQueue & { position: number }>(`${parts.join(' UNION ALL ')} ORDER BY 1`)
  return rows.map(({ position: _, ...queue }) => queue)
}

/** Why work was given up, the commonest reason first. */
export async function readPoisonReasons(
  pool: Pick<Pool, 'query'>,
  { atMost }: { readonly atMost: number },
): Promise<readonly PoisonReason[]> {
  const parts = queues.map(
    ({ queue, table, source }) => `
    SELECT '${queue}' AS queue, ${source} AS source, coalesce(last_error, '') AS error, count(*)::int AS count,
      min(id::text) AS example
    FROM ${table} WHERE state = 'poisoned' GROUP BY 2, 3`,
  )
  const { rows } = await pool.query<PoisonReason>(
    `${parts.join(' UNION ALL ')} ORDER BY count DESC, 1, 2, 3 LIMIT $1`,
    [atMost],
  )
  return rows
}

/**
 * Has judgements of monitored traffic that were given up tried again, as if they were new. Those of a run are left: the
 * run has counted them and is over; it is run again instead.
 *
 * @returns how many
 */
export async function retryJudgements(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rowCount } = await pool.query(`
    UPDATE judgement SET state = 'pending', due_at = now(), attempts = 0, failures = 0, last_error = NULL
    WHERE state = 'poisoned' AND source = 'online' AND run_id IS NULL`)
  return rowCount ?? 0
}
