import type { WebhookEventType } from '@ratchet/contracts/webhooks'

/** A webhook event about a judge that is not published yet. */
export interface JudgingNotice {
  /** UUID made of its subject: two sweeps with the same finding write one row. */
  readonly id: string
  readonly workspaceId: string
  readonly type: WebhookEventType
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}
