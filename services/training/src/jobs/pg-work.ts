import type { Pool } from '@ratchet/db/connect-pool'
import type { WorkReading } from '@ratchet/work-kit/progress/watch-work'

/** Counts jobs that workers have to advance: those that wait for a trainer, a user or the end of an attempt have not. */
export async function readWork(pool: Pool): Promise<readonly WorkReading[]> {
  return (await pool.query<WorkReading>(workStatement)).rows
}

const workStatement = `
  SELECT 'training-job' AS queue, count(*)::int AS unfinished,
    (count(*) FILTER (WHERE j.attempts > 0 AND j.leased_until > now()))::int AS leased, NULL AS "deadLettered",
    greatest(0, coalesce(extract(epoch FROM now() - min(coalesce(j.leased_until, j.created_at)
      ) FILTER (WHERE j.leased_until IS NULL OR j.leased_until <= now())), 0))::float8 AS "oldestPendingSeconds"
  FROM training_job j WHERE (j.status NOT IN ('succeeded', 'failed', 'cancelled', 'paused') OR j.held_nano > 0)`
