import type { Pool } from '@ratchet/db/connect-pool'
import type { WorkReading } from '@ratchet/work-kit/progress/watch-work'

/** Counts shadow requests and deliveries. Both counts read a partial index of unfinished rows, so they are cheap. */
export async function readWork(pool: Pool): Promise<readonly WorkReading[]> {
  return (await pool.query<WorkReading>(`${shadowsStatement} UNION ALL ${deliveriesStatement}`)).rows
}

/** A shadow request whose shadow model was removed stays pending and is never processed, so it is not counted. */
const shadowsStatement = `
  SELECT 'shadow' AS queue, count(*)::int AS unfinished, (count(*) FILTER (WHERE s.state = 'leased'))::int AS leased,
    (SELECT count(*)::int FROM shadow_sample WHERE state = 'poisoned') AS "deadLettered",
    greatest(0, coalesce(extract(epoch FROM now() - min(s.due_at)), 0))::float8 AS "oldestPendingSeconds"
  FROM shadow_sample s JOIN alias a ON a.id = s.alias_id AND a.shadow_model = s.model AND a.shadow_percent > 0
  WHERE s.state IN ('pending', 'leased')`

/** Claiming a delivery only changes its time, so claimed deliveries cannot be distinguished from later retries: `leased` is null. */
const deliveriesStatement = `
  SELECT 'webhook-delivery', count(*)::int, NULL, NULL,
    greatest(0, coalesce(extract(epoch FROM now() - min(d.due_at)), 0))::float8
  FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id AND w.enabled
  WHERE d.status = 'pending'`
