import type { Pool } from '@ratchet/db/connect-pool'
import type { WorkReading } from '@ratchet/service-kit/watch-work'

/** How much there is to mirror and to send, counted in indexes that hold nothing else. */
export async function readWork(pool: Pool): Promise<readonly WorkReading[]> {
  return (await pool.query<WorkReading>(`${shadowsStatement} UNION ALL ${deliveriesStatement}`)).rows
}

/** What was to be mirrored for a mirror that is gone stays as it is, and nobody does it. */
const shadowsStatement = `
  SELECT 'shadow' AS queue, count(*)::int AS unfinished, (count(*) FILTER (WHERE s.state = 'leased'))::int AS leased,
    (SELECT count(*)::int FROM shadow_sample WHERE state = 'poisoned') AS poisoned,
    greatest(0, coalesce(extract(epoch FROM now() - min(s.due_at)), 0))::float8 AS "oldestPendingSeconds"
  FROM shadow_sample s JOIN alias a ON a.id = s.alias_id AND a.shadow_model = s.model AND a.shadow_percent > 0
  WHERE s.state IN ('pending', 'leased')`

/** Whoever takes a message on only moves its time: what is under way is not told from what is tried again later. */
const deliveriesStatement = `
  SELECT 'webhook-delivery', count(*)::int, NULL, NULL,
    greatest(0, coalesce(extract(epoch FROM now() - min(d.due_at)), 0))::float8
  FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id AND w.enabled
  WHERE d.status = 'pending'`
