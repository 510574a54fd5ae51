import { type LiveMessage, liveEventName } from '@ratchet/contracts/dashboard/live'
import type { LiveSource } from './live-messages.ts'

/** One open page. */
export interface LivePage {
  readonly sessionId: string
  readonly workspaceId: string
  write(text: string): void
  end(): void
}

export interface LiveStreamsOptions {
  readonly source: LiveSource
  /** Of these pages, those that may stay open. */
  readonly stillOpen: (
    pages: readonly Pick<LivePage, 'sessionId' | 'workspaceId'>[],
  ) => Promise<readonly Pick<LivePage, 'sessionId' | 'workspaceId'>[]>
  /** Whether the process stops. */
  readonly isDraining: () => boolean
}

/** Seconds between comments, so that nobody on the way closes a silent connection. */
const commentEverySeconds = 15
/** Open pages of one session at the same time. One more ends the oldest, which connects again when somebody looks at it. */
const maxPagesOfSession = 16
/** Milliseconds after which a page connects again. */
const retryMs = 3_000

interface OpenStream {
  readonly page: LivePage
  /** The last message of each topic since the last second that is not sent yet. */
  readonly waiting: Map<string, LiveMessage>
  readonly sentThisSecond: Set<string>
}

export interface LiveStreams {
  open(page: LivePage): void
  close(page: LivePage): void
  deliver(workspaceId: string, message: LiveMessage): void
  /** Runs every second: sends what waits, and ends the pages of those who may not read any more. */
  tick(): Promise<void>
}

/** Sends messages to open pages, at most one of a topic per second. */
export function createLiveStreams({ source, stillOpen, isDraining }: LiveStreamsOptions): LiveStreams {
  const streams = new Map<LivePage, OpenStream>()
  const ofSessions = new Map<string, Set<LivePage>>()
  const ofWorkspaces = new Map<string, Set<LivePage>>()
  let seconds = 0

  function close(page: LivePage): void {
    if (!streams.delete(page)) return
    removeFrom(ofSessions, page.sessionId, page)
    if (removeFrom(ofWorkspaces, page.workspaceId, page)) source.unfollow(page.workspaceId)
  }

  function end(pages: readonly LivePage[]): void {
    for (const page of pages) {
      close(page)
      page.end()
    }
  }

  /** Without an answer it is not known who may read, so all pages end and connect again. */
  async function endForbidden(): Promise<void> {
    const pages = [...streams.keys()]
    if (pages.length === 0) return
    const allowed = isDraining() ? [] : await stillOpen(pages).catch(() => [])
    const keys = new Set(allowed.map(keyOf))
    end(pages.filter((page) => !keys.has(keyOf(page))))
  }

  return {
    open(page) {
      const [oldest] = ofSessions.get(page.sessionId) ?? []
      if (oldest !== undefined && ofSessions.get(page.sessionId)?.size === maxPagesOfSession) end([oldest])
      streams.set(page, { page, waiting: new Map(), sentThisSecond: new Set() })
      addTo(ofSessions, page.sessionId, page)
      if (addTo(ofWorkspaces, page.workspaceId, page)) source.follow(page.workspaceId)
      page.write(`retry: ${retryMs}\n: open\n\n`)
    },
    close,
    deliver(workspaceId, message) {
      for (const page of ofWorkspaces.get(workspaceId) ?? []) {
        const stream = streams.get(page)
        if (stream !== undefined) sendOrWait(stream, message)
      }
    },
    async tick() {
      seconds += 1
      for (const stream of streams.values()) {
        sendWaiting(stream)
        if (seconds % commentEverySeconds === 0) stream.page.write(': still here\n\n')
      }
      await endForbidden()
    },
  }
}

/** Returns whether it is the first one. */
function addTo(groups: Map<string, Set<LivePage>>, key: string, page: LivePage): boolean {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, new Set([page]))
  else group.add(page)
  return group === undefined
}

/** Returns whether it was the last one. */
function removeFrom(groups: Map<string, Set<LivePage>>, key: string, page: LivePage): boolean {
  const group = groups.get(key)
  group?.delete(page)
  return group?.size === 0 && groups.delete(key)
}

function sendOrWait({ page, waiting, sentThisSecond }: OpenStream, message: LiveMessage): void {
  if (sentThisSecond.has(message.topic)) return void waiting.set(message.topic, message)
  sentThisSecond.add(message.topic)
  page.write(eventOf(message))
}

function sendWaiting({ page, waiting, sentThisSecond }: OpenStream): void {
  sentThisSecond.clear()
  for (const [topic, message] of waiting) {
    sentThisSecond.add(topic)
    page.write(eventOf(message))
  }
  waiting.clear()
}

function eventOf(message: LiveMessage): string {
  return `event: ${liveEventName}\ndata: ${JSON.stringify(message)}\n\n`
}

function keyOf({ sessionId, workspaceId }: Pick<LivePage, 'sessionId' | 'workspaceId'>): string {
  return `${sessionId} ${workspaceId}`
}
