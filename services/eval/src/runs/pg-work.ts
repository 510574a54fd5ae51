import type { Pool } from '@ratchet/db/connect-pool'
import type { WorkReading } from '@ratchet/work-kit/progress/watch-work'
import { isUnfinished } from '../samples/pg-sample-row.ts'
import { isOpen } from './pg-evals.ts'

/** Counts unfinished work per queue. It starts from the open evals, which keeps the query small. */
export async function readWork(pool: Pool): Promise<readonly WorkReading[]> {
  return (await pool.query<WorkReading>(`${samplesStatement} UNION ALL ${runsStatement}`)).rows
}

/** Pending samples of a cancelled eval keep their state but are never processed, so they are not counted. */
const samplesStatement = `
  SELECT 'eval-sample' AS queue, count(*)::int AS unfinished,
    (count(*) FILTER (WHERE s.state = 'leased'))::int AS leased,
    (SELECT count(*)::int FROM eval_sample WHERE state = 'poisoned') AS "deadLettered",
    greatest(0, coalesce(extract(epoch FROM now() - min(s.due_at)), 0))::float8 AS "oldestPendingSeconds"
  FROM eval_run r JOIN eval_sample s ON s.run_id = r.id
  WHERE ${isOpen} AND ${isUnfinished}`

/** An eval waits for a worker before its samples are drawn and after they have finished, not in between. */
const runsStatement = `
  SELECT 'eval-run', count(*)::int, (count(*) FILTER (WHERE leased_until > now()))::int, NULL,
    greatest(0, coalesce(extract(epoch FROM now() - min(ready_at)), 0))::float8
  FROM (
    SELECT r.leased_until, CASE
      WHEN r.leased_until > now() THEN NULL
      WHEN EXISTS (SELECT 1 FROM eval_sample s WHERE s.run_id = r.id AND ${isUnfinished}) THEN NULL
      ELSE greatest(r.created_at, r.leased_until,
        (SELECT max(s.due_at) FROM eval_sample s WHERE s.run_id = r.id)) END AS ready_at
    FROM eval_run r WHERE ${isOpen}
  ) AS run`
