import type { WebhookEventType, WebhookMessageType } from '@ratchet/contracts/webhooks'
import type { PoolClient } from '@ratchet/db/connect-pool'
import { retryHours } from '@ratchet/work-kit/webhooks/retry-schedule'

/** A fact that is sent to webhooks. */
export interface WebhookEvent {
  /** The same however often the event is reported. */
  readonly id: string
  readonly workspaceId: string
  readonly type: WebhookEventType
  /** When it happened. */
  readonly timestamp: Date
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Writes an event with one delivery for each webhook that requested its type. They are delivered once the transaction of
 * the client is committed.
 *
 * @returns false when an event with this id exists; it is not delivered again
 */
export async function enqueueEvent(client: PoolClient, event: WebhookEvent): Promise<boolean> {
  const { id, workspaceId, type, timestamp, data } = event
  const body = JSON.stringify(messageOf({ type, timestamp, data }))
  const { rowCount } = await client.query(enqueueStatement, [id, workspaceId, type, body, retryHours])
  return rowCount === 1
}

/** The message that every attempt sends, in the form of Standard Webhooks. */
export function messageOf({ type, timestamp, data }: Message): object {
  return { type, timestamp: timestamp.toISOString(), data }
}

type Message = Pick<WebhookEvent, 'timestamp' | 'data'> & { readonly type: WebhookMessageType }

/** The webhooks are locked, so that deleting one at the same time does not fail this transaction. */
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
