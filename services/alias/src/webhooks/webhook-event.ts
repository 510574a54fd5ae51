import type { WebhookEventType } from '@ratchet/contracts/webhooks'

/** Something that webhooks are told of. */
export interface WebhookEvent {
  /** The same however often it is told. */
  readonly id: string
  readonly workspaceId: string
  readonly type: WebhookEventType
  /** When it happened. */
  readonly timestamp: Date
  readonly data: Readonly<Record<string, unknown>>
}

/** What is sent of it, in the form of Standard Webhooks. Every attempt sends these bytes. */
export function eventBody({ type, timestamp, data }: WebhookEvent): string {
  return JSON.stringify({ type, timestamp: timestamp.toISOString(), data })
}
