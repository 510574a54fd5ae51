import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { pollForWork } from '../polling/poll-for-work.ts'
import type { WorkChanges } from '../polling/work-changes.ts'
import { createFailureLog, type FailureLogger } from './failure-log.ts'
import type { PublishWebhookEvent, WebhookEvent } from './publish-webhook-event.ts'

/** A row that is pending until its event is published. It is written together with the change that the event reports. */
export interface OutboxRow {
  readonly id: string
  readonly event: WebhookEvent
}

/** The rows of one table. */
export interface Outbox {
  /** Pending rows in the order of timestamp and id, after this row. */
  pending(limit: number, after: OutboxRow | null): Promise<readonly OutboxRow[]>
  /** Ends rows, which are not published again. */
  end(ids: readonly string[], at: Date): Promise<void>
}

export interface OutboxAttempt {
  /** `waiting`: the attempt failed and is repeated. `expired`: the row ended unpublished after a day. */
  readonly kind: 'taken' | 'refused' | 'waiting' | 'expired'
  readonly rowId: string
  readonly cause?: unknown
}

export interface PublishOutboxDeps {
  readonly outbox: Outbox
  readonly publish: PublishWebhookEvent
  readonly now: () => Date
  readonly onAttempt: (attempt: OutboxAttempt) => void
}

export interface OutboxPublisher {
  /**
   * Publishes pending rows. After a page whose attempts all fail it returns, and the next call continues behind that
   * page: an unavailable alias service gets few calls, and rows that always fail do not block others. Not for concurrent
   * calls. Resolves with how many rows it tried to publish. @throws what the outbox throws
   */
  publishPending(): Promise<number>
  /** Ends `publishPending` after the page in progress. */
  stop(): void
}

/** Events published at the same time. */
const pageSize = 4
const publishEveryMs = 1_000

export interface OutboxOptions {
  readonly onStop: OnStop
  readonly logger: FailureLogger
  readonly changes: WorkChanges
}

/** Publishes pending rows every second until the process stops, which waits for the attempts in progress. */
export function startOutbox(deps: PublishOutboxDeps, { onStop, logger, changes }: OutboxOptions): void {
  const failures = createFailureLog(logger, deps.now)
  const publisher = createOutboxPublisher({
    ...deps,
    onAttempt(attempt) {
      deps.onAttempt(attempt)
      if (attempt.kind === 'waiting') failures.report(attempt.cause, attempt.rowId)
    },
  })
  const stopPolling = pollForWork({
    everyMs: publishEveryMs,
    changes,
    work: publisher.publishPending,
    onError: (error) => failures.report(error),
  })
  onStop(() => {
    publisher.stop()
    return stopPolling()
  })
}

/** Two processes may publish the same row; the id of its event makes that harmless. */
export function createOutboxPublisher(deps: PublishOutboxDeps): OutboxPublisher {
  const { outbox, now, onAttempt } = deps
  let after: OutboxRow | null = null
  let isStopped = false
  return {
    async publishPending() {
      let tried = 0
      while (!isStopped) {
        const page: readonly OutboxRow[] = await outbox.pending(pageSize, after)
        const attempts = await Promise.all(page.map((row) => publishRow(deps, row)))
        tried += page.length
        const ended = attempts.filter(({ kind }) => kind !== 'waiting').map(({ rowId }) => rowId)
        if (ended.length > 0) await outbox.end(ended, now())
        for (const attempt of attempts) onAttempt(attempt)
        const isLast = page.length < pageSize
        after = isLast ? null : (page.at(-1) ?? null)
        if (isLast || ended.length === 0) break
      }
      return tried
    },
    stop() {
      isStopped = true
    },
  }
}

async function publishRow({ publish, now }: PublishOutboxDeps, { id, event }: OutboxRow): Promise<OutboxAttempt> {
  // A day later an event is no news.
  if (now().getTime() - event.timestamp.getTime() > dayMs) return { kind: 'expired', rowId: id }
  try {
    return { kind: await publish(event), rowId: id }
  } catch (cause) {
    return { kind: 'waiting', rowId: id, cause }
  }
}
