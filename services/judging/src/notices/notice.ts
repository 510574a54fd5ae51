import type { WebhookEventType } from '@ratchet/contracts/webhooks'

/** What webhooks are still to be told of a judge. */
export interface JudgingNotice {
  /** UUID made of what it is about, so that finding it twice is finding it once. */
  readonly id: string
  readonly workspaceId: string
  readonly type: WebhookEventType
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

export interface NoticeStore {
  /** Those that have waited longest. */
  oldest(limit: number): Promise<readonly JudgingNotice[]>
  delete(ids: readonly string[]): Promise<void>
}
