import type { Pool } from '@ratchet/db/connect-pool'
import type { WorkReading } from '@ratchet/work-kit/progress/watch-work'

/** How much work there is. It is counted in partial indexes that hold only unfinished and dead-lettered rows. */
export async function readWork(pool: Pool): Promise<readonly WorkReading[]> {
  return (await pool.query<WorkReading>(`${judgementsStatement} UNION ALL ${runsStatement}`)).rows
}

/** A row whose worker died counts as pending from the end of its lease, which is its `due_at`. */
const judgementsStatement = `
  SELECT 'judge' AS queue,
    (SELECT count(*)::int FROM judgement WHERE state IN ('pending', 'leased')) AS unfinished,
    (SELECT count(*)::int FROM judgement WHERE state = 'leased') AS leased,
    (SELECT count(*)::int FROM judgement WHERE state = 'poisoned') AS "deadLettered",
    (SELECT greatest(0, coalesce(extract(epoch FROM now() - min(due_at)), 0))::float8 FROM judgement
      WHERE state IN ('pending', 'leased')) AS "oldestPendingSeconds"`

/** A run is pending once all its judgements are over. */
const runsStatement = `
  SELECT 'judge-run', count(*)::int, (count(*) FILTER (WHERE leased_until > now()))::int, NULL,
    greatest(0, coalesce(extract(epoch FROM now() - min(ready_at)), 0))::float8
  FROM (
    SELECT r.leased_until, CASE
      WHEN r.leased_until > now() THEN NULL
      WHEN EXISTS (SELECT 1 FROM judgement j WHERE j.run_id = r.id AND j.state IN ('pending', 'leased')) THEN NULL
      ELSE greatest(r.created_at, r.leased_until,
        (SELECT max(j.judged_at) FROM judgement j WHERE j.run_id = r.id)) END AS ready_at
    FROM judge_run r WHERE r.status IN ('PENDING', 'RUNNING')
  ) AS run`
