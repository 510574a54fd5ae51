import { LiveMessage, liveEventName } from '@ratchet/contracts/dashboard/live'
import { now } from '../clock.ts'
import { addressOf } from './address.ts'
import { createStreamReader, type StreamPart } from './event-stream.ts'
import { reconnectMs } from './live-mode.ts'

/** What tabs of one browser send to each other. */
type TabMessage =
  | { readonly kind: 'heard' }
  | { readonly kind: 'topic'; readonly topic: string }
  /** Messages may have been lost, so everything may have changed. */
  | { readonly kind: 'gap' }

export interface LiveOptions {
  readonly slug: string
  readonly onMessage: (message: TabMessage) => void
}

/**
 * Receives the live messages of a workspace. A browser has only six connections to a server of HTTP/1.1, so one tab, which holds
 * a lock, reads the stream and passes it on to the others. Without locks (plain http on another host) nothing arrives, and pages
 * are polled.
 */
export function startLive({ slug, onMessage }: LiveOptions): () => void {
  const stopped = new AbortController()
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return () => undefined
  const name = `ratchet-live:${slug}`
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data)
  const publish = (message: TabMessage) => {
    channel.postMessage(message)
    onMessage(message)
  }
  const lead = () => streamUntilStopped(addressOf('/live', slug), publish, stopped.signal)
  navigator.locks.request(name, { signal: stopped.signal }, lead).catch(() => undefined)
  return () => {
    stopped.abort()
    channel.close()
  }
}

/** The person has no session, or is no member any more. */
class RefusedStream extends Error {}

async function streamUntilStopped(address: string, publish: (message: TabMessage) => void, signal: AbortSignal) {
  let failures = 0
  let hasGap = false
  while (!signal.aborted) {
    try {
      await readStream(address, signal, (part) => {
        failures = 0
        if (hasGap) publish({ kind: 'gap' })
        hasGap = false
        for (const message of messagesOf(part)) publish(message)
      })
    } catch (error) {
      // Any failure has the same answer: connect again after a while. The page shows that nothing arrives.
      // Who may not read any more finds out by reading everything again.
      if (error instanceof RefusedStream) publish({ kind: 'gap' })
    }
    hasGap = true
    await pause(reconnectMs(failures), signal)
    failures += 1
  }
}

async function readStream(address: string, signal: AbortSignal, onPart: (part: StreamPart) => void): Promise<void> {
  const answer = await fetch(address, { signal, headers: { accept: 'text/event-stream' } })
  if ([401, 403, 404].includes(answer.status)) throw new RefusedStream()
  if (!answer.ok || answer.body === null) throw new Error(`The stream answered ${answer.status}.`)
  const read = createStreamReader()
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  onPart({ kind: 'comment' })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    for (const part of read(value)) onPart(part)
  }
}

function messagesOf(part: StreamPart): TabMessage[] {
  if (part.kind === 'comment') return [{ kind: 'heard' }]
  const message = part.name === liveEventName ? LiveMessage.safeParse(JSON.parse(part.data)) : null
  return message?.success ? [{ kind: 'heard' }, { kind: 'topic', topic: message.data.topic }] : [{ kind: 'heard' }]
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** When something last arrived, for `liveModeOf`. */
export function createHeardClock() {
  let lastHeardMs: number | null = null
  return {
    mark: () => {
      lastHeardMs = now()
    },
    lastHeardMs: () => lastHeardMs,
  }
}
