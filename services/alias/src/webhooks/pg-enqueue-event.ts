import type { PoolClient } from '@ratchet/db/connect-pool'
import { deliveryHours } from './delivery-schedule.ts'
import { eventBody, type WebhookEvent } from './webhook-event.ts'

/**
 * Has everybody told of an event who wants to hear of it, once the transaction is committed.
 *
 * @returns whether it is new; what is known already is told nobody again
 */
export async function enqueueEvent(client: PoolClient, event: WebhookEvent): Promise<boolean> {
  const { id, workspaceId, type } = event
  const values = [id, workspaceId, type, eventBody(event), deliveryHours]
  const { rowCount } = await client.query(enqueueStatement, values)
  return rowCount === 1
}

/** The webhooks are locked, so that one which is deleted meanwhile costs nobody a transaction. */
const enqueueStatement = `
  WITH event AS (
    INSERT INTO webhook_event (id, workspace_id, type, body, created_at) VALUES ($1, $2, $3, $4, now())
    ON CONFLICT (id) DO NOTHING RETURNING id
  ), listener AS (
    SELECT id FROM webhook WHERE workspace_id = $2 AND enabled AND $3 = ANY(events) FOR KEY SHARE
  ), delivery AS (
    INSERT INTO webhook_delivery (id, webhook_id, event_id, deadline, created_at)
    SELECT gen_random_uuid(), listener.id, event.id, now() + $5 * interval '1 hour', now() FROM event, listener
  )
  SELECT id FROM event`
