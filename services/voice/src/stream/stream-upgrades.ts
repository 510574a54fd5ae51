import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { CallWorker } from '../calls/call-worker.ts'
import type { HeldSession } from '../calls/hold-call.ts'
import { createInflow } from '../media/inflow.ts'
import { isReading } from '../media/is-reading.ts'
import { createUnstarted } from '../media/unstarted.ts'
import { type Dialect, type DialectName, dialects, readStreamMessage, type StreamMessage } from './dialects.ts'
import { createFrameOrder } from './frame-order.ts'
import { createStreamLine, type StreamLine } from './stream-line.ts'

export interface StreamUpgradesOptions {
  readonly worker: Pick<CallWorker, 'openLine' | 'hasRoom'>
  readonly nowMs: () => number
}

/** The token is of the answer by which we told the carrier to connect. */
const path = /^\/media\/(call_[0-9a-f]{32})\/(twilio|telnyx)\/([A-Za-z0-9_-]{43})$/
/** Time for the message that begins a stream. */
const startMs = 5_000
const closeMs = 2_000
const maxMessageBytes = 16 * kibibyte
/** Messages before the one that begins a stream: a carrier says that it is connected. */
const maxBefore = 3
/** A frame of audio counts as this much at least, milliseconds. */
const leastFrameMs = 2
/** Bytes that wait for the carrier. One that reads more slowly is disconnected. */
const maxBuffered = 128 * kibibyte

interface Asked {
  readonly callId: string
  readonly token: string
  readonly dialect: Dialect
}

/** WebSockets of carriers, at `/media/{call}/{carrier}/{token}`. */
export function createStreamUpgrades({ worker, nowMs }: StreamUpgradesOptions): Upgrades {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    autoPong: false,
  })
  const unstarted = createUnstarted()
  return {
    accepts: ({ method, headers, url = '' }) =>
      method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && path.test(url.split('?')[0] ?? ''),
    take(request, socket: Socket, head) {
      const asked = askedOf(request)
      if (asked === null || !worker.hasRoom) {
        socket.on('error', () => undefined)
        socket.end('HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
        return
      }
      server.handleUpgrade(request, socket, head, (websocket) => {
        unstarted.add(websocket)
        new Stream(websocket, asked, { worker, nowMs, onStarted: () => unstarted.delete(websocket) })
      })
    },
  }
}

function askedOf({ url = '' }: IncomingMessage): Asked | null {
  const [, publicCallId = '', name = '', token = ''] = path.exec(url.split('?')[0] ?? '') ?? []
  const callId = uuidOf('call', publicCallId)
  return callId === null ? null : { callId, token, dialect: dialects[name as DialectName] }
}

interface StreamOptions extends StreamUpgradesOptions {
  /** It has said with which token it is of a call, or is closed. */
  readonly onStarted: () => void
}

interface HeldStream {
  readonly session: HeldSession
  readonly line: StreamLine
}

/** One connection of a carrier. */
class Stream {
  readonly #websocket: WebSocket
  readonly #asked: Asked
  readonly #options: StreamOptions
  readonly #inflow: ReturnType<typeof createInflow>
  readonly #late: NodeJS.Timeout
  readonly #order: (number: number, payload: Buffer) => void
  #streamId = ''
  #state: 'new' | 'opening' | 'open' | 'closed' = 'new'
  #held: HeldStream | null = null
  /** The carrier has said that the call is over. */
  #isOver = false
  /** Messages before the beginning. */
  #before = 0

  constructor(websocket: WebSocket, asked: Asked, options: StreamOptions) {
    this.#websocket = websocket
    this.#asked = asked
    this.#options = options
    this.#inflow = createInflow(options.nowMs)
    this.#late = setTimeout(() => this.#close(), startMs)
    this.#order = createFrameOrder((payload) => this.#run(({ line }) => line.takeAudio(payload)))
    websocket
      .on('message', (data: Buffer, isBinary: boolean) => this.#take(isBinary ? null : data.toString()))
      .on('ping', (data: Buffer) => this.#answerPing(data))
      .on('pong', () => this.#inflow.acceptsFrame() || this.#close())
      .on('error', () => this.#websocket.terminate())
      .once('close', () => this.#closed())
  }

  #answerPing(data: Buffer): void {
    if (!isReading(this.#websocket, maxBuffered)) return
    if (this.#inflow.acceptsFrame()) this.#websocket.pong(data)
    else this.#close()
  }

  #take(text: string | null): void {
    if (this.#state === 'closed' || this.#websocket.readyState !== this.#websocket.OPEN) return
    const isBounded = this.#inflow.acceptsFrame()
    const message = isBounded && text !== null ? readStreamMessage(text, this.#asked.dialect) : null
    if (message === null || !this.#accepts(message)) this.#close()
    else if (message.kind === 'start') {
      if (this.#state === 'new') void this.#open(message)
      else this.#close()
    } else if (message.kind === 'stop') this.#stop()
    else if (message.kind === 'media') this.#hear(message)
    else if (message.kind === 'key') this.#run(({ line }) => line.transport.takeKey(message.key))
    else if (message.kind === 'mark') this.#run(({ line }) => line.transport.takeMark(message.name))
  }

  /** Faster than in real time nobody speaks, or presses keys. */
  #accepts(message: StreamMessage): boolean {
    if (this.#state === 'new' && message.kind !== 'start') {
      this.#before += 1
      return message.kind === 'other' && this.#before <= maxBefore
    }
    if (message.kind === 'media') return this.#inflow.acceptsAudio(Math.max(message.payload.length / 8, leastFrameMs))
    if (message.kind === 'key') return this.#inflow.acceptsMessage({ type: 'dtmf', key: message.key })
    return true
  }

  #hear({ number, payload }: Extract<StreamMessage, { readonly kind: 'media' }>): void {
    if (this.#asked.dialect.isUnordered) this.#order(number, payload)
    else this.#run(({ line }) => line.takeAudio(payload))
  }

  async #open({ streamId, carrierCallId }: Extract<StreamMessage, { readonly kind: 'start' }>): Promise<void> {
    clearTimeout(this.#late)
    this.#options.onStarted()
    this.#streamId = streamId
    this.#state = 'opening'
    const { callId, token } = this.#asked
    const { worker, nowMs } = this.#options
    const held = await worker.openLine(
      callId,
      { token, carrierCallId },
      {
        refuse: () => this.#close(),
        open: (hold) => {
          const line = createStreamLine(this.#peer(), { nowMs, onNoMedia: () => session.ended('no_media') })
          const session = hold(line)
          return { session, line }
        },
      },
    )
    if (held === null) return
    this.#held = held
    if ((this.#state as string) === 'closed') this.#leave()
    else this.#state = 'open'
  }

  #peer() {
    const isOpen = () => this.#websocket.readyState === this.#websocket.OPEN
    return {
      get isOpen() {
        return isOpen()
      },
      send: (message: Readonly<Record<string, unknown>>) => {
        if (!isReading(this.#websocket, maxBuffered)) return
        this.#websocket.send(JSON.stringify({ ...message, [this.#asked.dialect.streamField]: this.#streamId }))
      },
      close: () => this.#close(),
    }
  }

  #run(work: (held: HeldStream) => void): void {
    const held = this.#held
    if (held !== null) held.session.run(() => work(held))
  }

  #stop(): void {
    this.#isOver = true
    this.#held?.session.ended('caller_hangup')
  }

  #leave(): void {
    if (this.#isOver) this.#held?.session.ended('caller_hangup')
    else this.#held?.session.closed(false)
  }

  #closed(): void {
    clearTimeout(this.#late)
    this.#options.onStarted()
    this.#state = 'closed'
    this.#leave()
  }

  #close(): void {
    this.#websocket.close(1_000)
    // What else it sends is not even read.
    this.#websocket.pause()
    setTimeout(() => this.#websocket.terminate(), closeMs).unref()
  }
}
