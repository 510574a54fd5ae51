import { kibibyte } from '@ratchet/contracts/byte-sizes'
import type { Turns } from '@ratchet/http/turns'
import { createReaderPace, type ReaderPace } from '@ratchet/service-kit/timing/reader-pace'
import type { WebSocket } from 'ws'
import { type ArrivalOptions, watchArrival } from './arrival.ts'
import { floodLimits, limitPerMinute } from './flood-limit.ts'
import { createPartQueue } from './part-queue.ts'

/** The client of one WebSocket. */
export interface SocketPeer {
  /** @returns false when the client does not read; `onDrained` is called when it does again */
  send(message: Buffer): boolean
  /** Closes the connection after all that was sent. */
  close(code: number): void
  /** The last message got a refusal, and cost nothing but work. `onFlood` is called at too many of them. */
  refused(): void
  /** Ends the connection without a word. */
  terminate(): void
}

export interface SocketPeerOptions extends ArrivalOptions {
  /** One that answers no pings by itself. */
  readonly websocket: WebSocket
  /** Milliseconds between two pings. A client that has neither answered one nor moved data when the next is due is gone. */
  readonly pingMs: number
  /** Milliseconds for which it may hardly read; see `ReaderPaceOptions`. */
  readonly stalledClientMs: number
  /** Shared by all clients of the process: messages are delivered in them. */
  readonly turns: Turns
  /** Makes the content of a ping, which nobody can guess. */
  readonly newId: () => string
  /** @param message null when it is not text */
  onMessage(message: Buffer | null): void
  /** There is no memory for the rest of a message. Nothing is read any more; the connection must be closed. */
  onNoRoom(): void
  /** Too many refused messages, pings and pongs came. Nothing is read any more; the connection must be closed. */
  onFlood(): void
  onDrained(): void
  /** The client read too little. The connection ends. */
  onStalled(): void
  onClose(): void
}

/** Bytes that wait for the client before it counts as not reading. */
const highWaterBytes = 64 * kibibyte
/** Milliseconds in which a client whose message was refused can read why, once its connection is closed. */
const refusalMs = 5_000

/**
 * Speaks with a client, and finds out when it is gone, reads or sends too slowly, or floods. Reads nothing of
 * one that does not read.
 */
export function createSocketPeer(options: SocketPeerOptions): SocketPeer {
  return new WatchedPeer(options)
}

class WatchedPeer implements SocketPeer {
  readonly #options: SocketPeerOptions
  readonly #websocket: WebSocket
  readonly #arrival: ReturnType<typeof watchArrival>
  readonly #queue = createPartQueue()
  readonly #pace: ReaderPace
  readonly #mayBeRefused = limitPerMinute(floodLimits.refused)
  readonly #mayPing = limitPerMinute(floodLimits.control)
  /** Messages that had arrived when the client stopped reading, or behind the one that was delivered in this turn. */
  readonly #inbox: (Buffer | null)[] = []
  #hadTurn = false
  /** Of several pings only the last one is answered, which the protocol allows. */
  #ping: Buffer | null = null
  /** The content of the ping that the client has not answered. */
  #asked: string | null = null
  #hasMoved = false
  #isFull = false
  #isRefused = false
  #closeCode: number | null = null

  constructor(options: SocketPeerOptions) {
    const { websocket, socket, pingMs, stalledClientMs } = options
    this.#options = options
    this.#websocket = websocket
    this.#arrival = watchArrival(options)
    const onSlow = () => {
      options.onStalled()
      this.terminate()
    }
    this.#pace = createReaderPace({ windowMs: stalledClientMs, onSlow })
    const look = setInterval(() => this.#look(), pingMs).unref()
    // After the listener of the WebSocket, which takes the messages out of the chunk.
    socket.on('data', () => this.#onData())
    websocket
      .on('message', (data, isBinary) => {
        this.#hasMoved = true
        this.#take(isBinary ? null : (data as Buffer))
      })
      .on('ping', (data) => this.#onPing(data))
      .on('pong', (data) => {
        this.#arrival.control(data)
        if (data.toString() === this.#asked) this.#asked = null
        else if (!this.#mayPing()) this.#flooded()
      })
      // The connection closes after it; what was wrong with a frame is the client's.
      .on('error', () => undefined)
      .once('close', () => {
        clearInterval(look)
        this.#pace.stop()
        this.#queue.clear()
        this.#inbox.length = 0
        options.turns.delete(this.#takeTurn)
        options.arriving.leave()
        options.onClose()
      })
  }

  send(message: Buffer): boolean {
    if (!this.#isOpen() || this.#closeCode !== null) return true
    this.#queue.add(message)
    this.#pump()
    return !this.#isFull
  }

  close(code: number): void {
    this.#closeCode ??= code
    this.#pump()
    // Nobody reads the client's answer to it.
    if (this.#isRefused) this.#terminateSoon()
  }

  refused(): void {
    if (!this.#mayBeRefused()) this.#flooded()
  }

  terminate(): void {
    this.#websocket.terminate()
  }

  /** One message and one pong. The next ones wait until other clients had their turn. */
  readonly #takeTurn = (): void => {
    this.#hadTurn = false
    this.#answerPing()
    if (this.#isFull || this.#isRefused) return
    const message = this.#inbox.shift()
    if (message !== undefined) this.#deliver(message)
  }

  #take(message: Buffer | null): void {
    if (this.#isRefused) return
    const isNext = !this.#hadTurn && !this.#isFull && this.#inbox.length === 0
    if (isNext) {
      this.#deliver(message)
      return
    }
    this.#inbox.push(message)
    this.#pauseReading()
  }

  #deliver(message: Buffer | null): void {
    if (this.#inbox.length === 0) this.#arrival.whole()
    this.#hadTurn = true
    this.#options.turns.add(this.#takeTurn)
    this.#options.onMessage(message)
    this.#resumeReading()
  }

  #pauseReading(): void {
    this.#arrival.paused()
    this.#websocket.pause()
  }

  #resumeReading(): void {
    const mayRead = !this.#isFull && !this.#isRefused && this.#inbox.length === 0
    if (mayRead && this.#websocket.isPaused) this.#websocket.resume()
  }

  #flooded(): void {
    if (this.#isRefused) return
    this.#stopReading()
    if (this.#closeCode === null) this.#options.onFlood()
    else this.#terminateSoon()
  }

  #stopReading(): void {
    this.#isRefused = true
    this.#inbox.length = 0
    this.#websocket.pause()
  }

  #isOpen(): boolean {
    return this.#websocket.readyState === this.#websocket.OPEN
  }

  #pump(): void {
    if (!this.#isOpen()) return void this.#queue.clear()
    while (!this.#queue.isEmpty() && this.#websocket.bufferedAmount <= highWaterBytes) {
      const { bytes, fin } = this.#queue.take()
      this.#pace.wrote(bytes.length)
      this.#websocket.send(bytes, { binary: false, fin }, this.#onSent)
    }
    if (!this.#queue.isEmpty() || this.#websocket.bufferedAmount > highWaterBytes) this.#onFull()
    if (this.#queue.isEmpty() && this.#closeCode !== null) this.#websocket.close(this.#closeCode)
  }

  #onFull(): void {
    if (this.#isFull) return
    this.#isFull = true
    this.#pauseReading()
    this.#pace.full()
  }

  readonly #onSent = (): void => {
    if (!this.#isFull || this.#websocket.bufferedAmount > highWaterBytes / 2) return
    this.#isFull = false
    this.#hasMoved = true
    this.#pace.drained()
    this.#pump()
    if (this.#isFull) return
    this.#resumeReading()
    if (this.#inbox.length > 0) this.#options.turns.add(this.#takeTurn)
    this.#options.onDrained()
  }

  #onData(): void {
    const { hasGrown, hasRoom } = this.#arrival.count()
    this.#hasMoved ||= hasGrown
    // What waits for a turn is counted with what arrives.
    if (hasRoom || this.#isRefused || this.#inbox.length > 0) return
    this.#stopReading()
    if (this.#closeCode === null) this.#options.onNoRoom()
    else this.#terminateSoon()
  }

  #onPing(data: Buffer): void {
    this.#arrival.control(data)
    if (!this.#mayPing()) this.#flooded()
    this.#ping = data
    this.#options.turns.add(this.#takeTurn)
  }

  #answerPing(): void {
    const data = this.#ping
    this.#ping = null
    if (data === null || this.#isFull || this.#isRefused || !this.#isOpen()) return
    this.#pace.wrote(data.length)
    this.#websocket.pong(data, undefined, this.#onSent)
    this.#pump()
  }

  #look(): void {
    // Its pong would not be read.
    if (this.#isRefused) return
    const hasMoved = this.#isFull || this.#hasMoved
    this.#hasMoved = false
    if (this.#arrival.isSlow(this.#isFull) || (this.#asked !== null && !hasMoved)) return void this.terminate()
    if (this.#asked !== null || this.#isFull || !this.#isOpen()) return
    this.#asked = this.#options.newId()
    this.#websocket.ping(this.#asked, undefined, this.#onSent)
  }

  #terminateSoon(): void {
    setTimeout(() => this.terminate(), refusalMs).unref()
  }
}
