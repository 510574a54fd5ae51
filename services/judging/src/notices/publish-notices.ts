import type { PublishWebhookEvent } from '@ratchet/judge-kit/fleet/publish-webhook-event'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { JudgingNotice, NoticeStore } from './notice.ts'

export interface PublishNoticesDeps {
  readonly notices: NoticeStore
  readonly report: PublishWebhookEvent
  readonly now: () => Date
  readonly onEvent: (event: NoticeEvent) => void
}

export interface NoticeEvent {
  /** `waiting` ones are told later; nobody hears of one that was refused, nor of one that nobody took in its day. */
  readonly kind: 'taken' | 'refused' | 'waiting' | 'expired'
  readonly noticeId: string
  readonly cause?: unknown
}

/** Notices under way at the same time. */
const maxAtOnce = 50
/** How long it is tried, milliseconds: what happened a day ago is no news. */
const keptMs = 86_400_000

/**
 * Hands notices on to whoever tells webhooks, and forgets those that were taken. Two workers may hand on the same one:
 * it is taken once.
 */
export async function publishNotices(deps: PublishNoticesDeps): Promise<void> {
  const { notices, onEvent } = deps
  const reported = await Promise.all((await notices.oldest(maxAtOnce)).map((notice) => publishOne(deps, notice)))
  const over = reported.filter(({ kind }) => kind !== 'waiting')
  if (over.length > 0) await notices.delete(over.map(({ noticeId }) => noticeId))
  for (const event of reported) onEvent(event)
}

async function publishOne({ report, now }: PublishNoticesDeps, notice: JudgingNotice): Promise<NoticeEvent> {
  const { id, type, data, workspaceId, createdAt } = notice
  if (now().getTime() - createdAt.getTime() > keptMs) return { kind: 'expired', noticeId: id }
  try {
    const identity = workerIdentity(workspaceId, workspaceId)
    return { kind: await report({ id, type, timestamp: createdAt, data, identity }), noticeId: id }
  } catch (cause) {
    return { kind: 'waiting', noticeId: id, cause }
  }
}
