import { createResampler, type Resampler } from '@ratchet/audio/create-resampler'
import type { GuardedSocket, GuardedSocketOptions, SocketListener } from '@ratchet/http/open-guarded-socket'
import type { Recognizer, RecognizerEvents } from '../engine/ports.ts'
import { createAudioBacklog } from './audio-backlog.ts'
import type { HeardPart, RecognitionDialect, RecognitionTalk } from './recognition-dialect.ts'

export interface StreamRecognizerDeps {
  /** The first one is used; the others, one after the other, when those before them fail. */
  readonly dialects: readonly [RecognitionDialect, ...RecognitionDialect[]]
  /** Of the line. */
  readonly sampleRate: number
  readonly open: (options: GuardedSocketOptions, listener: SocketListener) => GuardedSocket
  /** Calls back once after a time. Returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void
  /** A monotonic clock. */
  readonly nowMs: () => number
  /** A connection was lost, for the log. */
  readonly onLost: (reason: string) => void
}

export const recognitionBounds = {
  openWithinMs: 2_000,
  /** The first wait before a connection is opened again; it doubles, up to `maxRetryMs`. */
  retryMs: 100,
  maxRetryMs: 1_000,
  /** Failures in a row after which the next provider is tried. */
  failuresOfProvider: 2,
  /** Without a connection that works. */
  giveUpAfterMs: 10_000,
  /** A connection that answers and lasts this long works. */
  worksAfterMs: 5_000,
  /** Of loud audio without any message: the connection is dead. */
  deafAfterMs: 3_000,
  /** Of audio that is sent again on a new connection. */
  backlogMs: 10_000,
  maxMessageBytes: 262_144,
  maxTextLength: 20_000,
  /** In a second. */
  maxMessages: 200,
  /** Bytes that wait because the provider does not read. */
  maxWaitingBytes: 1_048_576,
} as const

/** Root mean square of loud audio. */
const loudRms = 500

interface Connection {
  readonly talk: RecognitionTalk
  readonly resampler: Resampler
  readonly socket: GuardedSocket
  openedMs: number | null
  /** It has sent something. */
  isAnswering: boolean
  /** Place of its first sample in all audio of the call. */
  from: number
}

/**
 * Recognizes by a provider over a WebSocket. A connection that is cut, refused, deaf or talks nonsense is opened again at once, and
 * what was not final is sent again; after two failures the next provider is tried, and after ten seconds without any it is over.
 */
export function openStreamRecognizer(deps: StreamRecognizerDeps, events: RecognizerEvents): Recognizer {
  const recognizer = new StreamRecognizer(deps, events)
  return {
    push: (pcm) => recognizer.push(pcm),
    flush: () => recognizer.flush(),
    close: () => recognizer.close(),
  }
}

class StreamRecognizer {
  readonly #deps: StreamRecognizerDeps
  readonly #events: RecognizerEvents
  readonly #backlog
  #connection: Connection | null = null
  #cancelRetry: () => void = () => {}
  #failures = 0
  #failingSinceMs: number | null = null
  #isFlushDue = false
  #hasPartial = false
  #isClosed = false
  #loudMs = 0
  #second = { startMs: 0, messages: 0 }

  constructor(deps: StreamRecognizerDeps, events: RecognizerEvents) {
    this.#deps = deps
    this.#events = events
    this.#backlog = createAudioBacklog((recognitionBounds.backlogMs * deps.sampleRate) / 1_000)
    this.#open()
  }

  push(pcm: Int16Array): void {
    if (this.#isClosed) return
    this.#backlog.add(pcm)
    const connection = this.#connection
    if (connection?.openedMs == null) return
    this.#send(connection, pcm)
    this.#watch(connection, pcm)
  }

  flush(): void {
    this.#isFlushDue = true
    const connection = this.#connection
    if (connection?.openedMs == null) return
    const message = connection.talk.flush()
    if (message !== null) connection.socket.send(message)
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRetry()
    this.#connection?.socket.close()
    this.#connection = null
  }

  #open(): void {
    const { dialects, open, sampleRate } = this.#deps
    const tried = Math.floor(this.#failures / recognitionBounds.failuresOfProvider)
    const dialect = dialects[tried % dialects.length] ?? dialects[0]
    const { access, path, headers } = dialect
    const { openWithinMs, maxMessageBytes } = recognitionBounds
    const { baseUrl, rules } = access
    const socket = open(
      { baseUrl, rules, path, headers, openWithinMs, maxMessageBytes },
      {
        onOpen: () => this.#begin(connection),
        onText: (text) => this.#take(connection, text),
        onClosed: (reason) => this.#fail(connection, reason),
      },
    )
    const resampler = createResampler(sampleRate, dialect.sampleRate)
    const talk = dialect.talk()
    const connection: Connection = { talk, resampler, socket, openedMs: null, isAnswering: false, from: 0 }
    this.#connection = connection
  }

  #begin(connection: Connection): void {
    if (connection !== this.#connection) return
    connection.openedMs = this.#deps.nowMs()
    connection.from = this.#backlog.from
    this.#loudMs = 0
    // A flood of one provider is none of the next.
    this.#second = { startMs: connection.openedMs, messages: 0 }
    for (const greeting of connection.talk.greetings) connection.socket.send(greeting)
    for (const pcm of this.#backlog.read()) this.#send(connection, pcm)
    if (this.#isFlushDue) this.flush()
  }

  #send({ talk, socket, resampler }: Connection, pcm: Int16Array): void {
    const converted = resampler.push(pcm)
    if (converted.length === 0) return
    socket.send(talk.audio(converted))
    const due = talk.due()
    if (due !== null) socket.send(due)
  }

  /** Looks for a provider that does not read, or does not answer although the caller speaks. */
  #watch(connection: Connection, pcm: Int16Array): void {
    const { nowMs, sampleRate } = this.#deps
    if (isLoud(pcm)) this.#loudMs += (pcm.length * 1_000) / sampleRate
    if (this.#loudMs >= recognitionBounds.deafAfterMs) {
      // Another connection to a provider that is deaf would be lost time.
      this.#failures = Math.max(this.#failures, recognitionBounds.failuresOfProvider - 1)
      this.#fail(connection, 'no message although the caller speaks')
    } else if (connection.socket.waitingBytes > recognitionBounds.maxWaitingBytes)
      this.#fail(connection, 'does not read')
    else if (connection.isAnswering && nowMs() - (connection.openedMs ?? 0) >= recognitionBounds.worksAfterMs)
      this.#work()
  }

  #work(): void {
    this.#failures = 0
    this.#failingSinceMs = null
  }

  #take(connection: Connection, text: string): void {
    if (connection !== this.#connection) return
    const heard = this.#isFlood() ? 'flood' : readSafely(connection.talk, text)
    if (typeof heard === 'string') {
      this.#fail(connection, reasons[heard])
      return
    }
    this.#loudMs = 0
    connection.isAnswering = true
    for (const part of heard) this.#hear(connection, part)
  }

  #hear(connection: Connection, { text, isFinal, untilMs }: HeardPart): void {
    if (this.#isClosed) return
    if (text.length > recognitionBounds.maxTextLength) {
      this.#fail(connection, 'a text that is too long')
      return
    }
    if (isFinal) {
      const until = untilMs === null ? Number.POSITIVE_INFINITY : (untilMs * this.#deps.sampleRate) / 1_000
      this.#backlog.dropUntil(connection.from + until)
      this.#isFlushDue = false
    }
    // What has no text says nothing about the caller, unless it takes back a part.
    if (text === '' && !(isFinal && this.#hasPartial)) return
    this.#work()
    this.#hasPartial = !isFinal
    this.#events.onText(text, isFinal)
  }

  #isFlood(): boolean {
    const nowMs = this.#deps.nowMs()
    if (nowMs - this.#second.startMs >= 1_000) this.#second = { startMs: nowMs, messages: 0 }
    this.#second.messages++
    return this.#second.messages > recognitionBounds.maxMessages
  }

  #fail(connection: Connection, reason: string): void {
    if (connection !== this.#connection || this.#isClosed) return
    connection.socket.close()
    this.#connection = null
    this.#deps.onLost(reason)
    const nowMs = this.#deps.nowMs()
    const { retryMs, maxRetryMs, giveUpAfterMs } = recognitionBounds
    this.#failingSinceMs ??= nowMs
    if (nowMs - this.#failingSinceMs >= giveUpAfterMs) {
      this.close()
      this.#events.onFailed()
      return
    }
    const waitMs = Math.min(retryMs * 2 ** this.#failures, maxRetryMs)
    this.#failures++
    this.#cancelRetry = this.#deps.schedule(() => this.#open(), waitMs)
  }
}

function isLoud(pcm: Int16Array): boolean {
  const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, pcm.length)
  return power >= loudRms ** 2
}

const reasons = {
  flood: 'too many messages',
  failed: 'an error',
  unreadable: 'a message that is not documented',
} as const

function readSafely(talk: RecognitionTalk, text: string): readonly HeardPart[] | 'failed' | 'unreadable' {
  try {
    return talk.read(JSON.parse(text))
  } catch {
    return 'unreadable'
  }
}
