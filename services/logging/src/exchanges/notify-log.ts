import type { LiveNotice } from '@ratchet/contracts/live-notice'
import { topicPattern } from '@ratchet/contracts/live-topic'
import type { PublishLive } from '@ratchet/work-kit/live/live-notifier'
import { type After, spaceNotices } from '@ratchet/work-kit/live/space-notices'
import type { TraceStore } from '../traces/otlp/trace-store.ts'
import type { ExchangeLog } from './exchange-log.ts'

/** Says that entries were added to the log of a workspace, some of them to these traces. Never which, and no content. */
export type NotifyLog = (workspaceId: string, traceIds: readonly string[]) => void

/** Under load a log changes all the time, and a page that follows it reads lists and counts again. */
const logsEveryMs = 5_000

/** Notices of traces that are kept for each workspace of which no page is open. */
const maxKept = 100

/**
 * These notices are sent in the background: storing a batch does not depend on them. There is at most one a second for a trace,
 * and one in five seconds for the log of a workspace. When that one reaches nobody, no page of the workspace is open, and
 * those of its traces are kept until the next one: they are sent if that one reaches somebody, else dropped.
 *
 * @param now gives the version of a notice
 */
export function createNotifyLog(publish: PublishLive, now: () => Date, after?: After): NotifyLog {
  /** By trace; of the workspaces whose last notice reached nobody. */
  const kept = new Map<string, Map<string, LiveNotice>>()
  const notify = spaceNotices(publish, undefined, after)
  const notifyLogs = spaceNotices(publishLogs, logsEveryMs, after)

  async function publishLogs(workspaceId: string, notice: LiveNotice): Promise<void> {
    if ((await publish(workspaceId, notice)) === 0) return void kept.set(workspaceId, new Map())
    const notices = [...(kept.get(workspaceId)?.values() ?? [])]
    kept.delete(workspaceId)
    for (const each of notices) void notify(workspaceId, each)
  }

  function notifyTrace(workspaceId: string, id: string, version: number): void {
    const topic = `trace:${id}` as const
    // Trace ids are texts of clients.
    if (!topicPattern.test(topic)) return
    const waiting = kept.get(workspaceId)
    if (waiting === undefined) void notify(workspaceId, { topic, id, version })
    else if (waiting.size < maxKept || waiting.has(id)) waiting.set(id, { topic, id, version })
  }

  return (workspaceId, traceIds) => {
    const version = now().getTime()
    void notifyLogs(workspaceId, { topic: 'logs', id: 'logs', version })
    for (const id of new Set(traceIds)) notifyTrace(workspaceId, id, version)
  }
}

interface InTrace {
  readonly workspaceId: string
  readonly traceId: string | null
}

/** Each notice is sent after the transaction; a batch that was stored before changes nothing. */
export function withLogNotices(log: ExchangeLog, notify: NotifyLog): ExchangeLog {
  return {
    async write(exchanges) {
      const stored = await log.write(exchanges)
      if (stored > 0) notifyAll(exchanges, notify)
      return stored
    },
  }
}

/** Spans that are no exchanges change only their traces, but a list of traces shows them. */
export function withSpanNotices(store: TraceStore, notify: NotifyLog): TraceStore {
  return {
    ...store,
    async writeSpans(spans) {
      await store.writeSpans(spans)
      notifyAll(spans, notify)
    },
    async attach(workspaceId, duplicates) {
      await store.attach(workspaceId, duplicates)
      notify(
        workspaceId,
        duplicates.map(({ span }) => span.traceId),
      )
    },
  }
}

function notifyAll(rows: readonly InTrace[], notify: NotifyLog): void {
  for (const [workspaceId, group] of Map.groupBy(rows, (row) => row.workspaceId)) {
    notify(
      workspaceId,
      group.flatMap(({ traceId }) => traceId ?? []),
    )
  }
}
