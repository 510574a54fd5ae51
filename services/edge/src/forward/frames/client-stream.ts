import type { FrameConnection } from '@ratchet/service-kit/frames/frame-connection'
import {
  answerCreditBytes,
  FrameError,
  type FrameType,
  frameTypes,
  requestCreditBytes,
} from '@ratchet/service-kit/frames/frame-format'
import { decodeAnswerHead } from '@ratchet/service-kit/frames/head-block'
import { creditOf, creditPayload } from '@ratchet/service-kit/frames/served-streams'
import { BodyStream } from '../body-stream.ts'
import type { AnswerHandler, ForwardedCall } from '../forwarded-call.ts'

/** The part of an answer that waits while its client reads nothing. */
type WaitingFrame = { readonly type: FrameType; readonly payload: Buffer }

/** One request on a connection of frames, and its answer. */
export class ClientStream {
  /** Stops the exchange. The handler then gets the reason as the error of its answer. */
  readonly abort = (reason: Error): void => this.#fail(reason, true)
  readonly #connection: FrameConnection
  readonly #id: number
  readonly #handler: AnswerHandler
  readonly #onOver: () => void
  readonly #body: BodyStream | null
  #isStarted = false
  #isOver = false
  #isPaused = false
  #waiting: WaitingFrame[] = []
  #lost: Error | null = null
  /** Bytes of the body that inference still takes. */
  #sendCredit = requestCreditBytes
  #unsent: Buffer[] = []
  #hasBodyEnded = false
  /** Bytes of the answer that inference may still send. */
  #credit = answerCreditBytes
  /** Bytes of the answer that the handler took and that were not granted again yet. */
  #taken = 0
  #hasHead = false

  /** @param onOver is called once, when nothing more is sent or expected on the stream */
  constructor(
    { connection, id, onOver }: { readonly connection: FrameConnection; readonly id: number; onOver: () => void },
    { body }: ForwardedCall,
    handler: AnswerHandler,
  ) {
    this.#connection = connection
    this.#id = id
    this.#handler = handler
    this.#onOver = onOver
    this.#body = body instanceof BodyStream ? body : null
  }

  /** Sends the request; a small body in the same write. A body that is a stream is read once the head was sent. */
  start(head: Buffer, body: ForwardedCall['body']): void {
    const onSent = (wasSent: boolean) => this.#onStarted(wasSent)
    this.#connection.send(frameTypes.request, this.#id, head, onSent)
    if (body instanceof BodyStream) return
    if (body !== null) this.#connection.sendData(this.#id, body)
    this.#connection.send(frameTypes.end, this.#id)
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    while (!this.#isPaused && !this.#isOver) {
      const frame = this.#waiting.shift()
      if (frame === undefined) break
      this.#guarded(() => this.#deliver(frame))
    }
    if (this.#lost !== null && this.#waiting.length === 0) this.#fail(this.#lost, false)
  }

  /** @throws FrameError for a frame that inference may not send now */
  receive(type: FrameType, payload: Buffer): void {
    if (type === frameTypes.credit) {
      this.#addSendCredit(creditOf(payload))
      return
    }
    if (type === frameTypes.data) {
      this.#credit -= payload.length
      if (this.#credit < 0) throw new FrameError('more of an answer than its credit')
    }
    // Copied, because a small payload would keep all bytes that arrived with it.
    if (this.#isPaused) this.#waiting.push({ type, payload: Buffer.from(payload) })
    else this.#deliver({ type, payload })
  }

  /** The connection is lost. What arrived of the answer before that is delivered first. */
  onLost(cause: Error): void {
    if (this.#isPaused && this.#waiting.length > 0) this.#lost = cause
    else this.#fail(cause, false)
  }

  #onStarted(wasSent: boolean): void {
    // Without a start the handler may send its request by another connection.
    if (!wasSent || this.#isOver) return
    this.#isStarted = true
    this.#handler.onRequestStart(this)
    if (this.#isOver || this.#body === null) return
    this.#body
      .on('data', (bytes: Buffer) => this.#sendBody(bytes))
      .once('end', () => this.#endBody())
      .once('error', (error) => this.#fail(error, true))
  }

  #sendBody(bytes: Buffer): void {
    if (this.#isOver) return
    this.#unsent.push(bytes)
    this.#sendUnsent()
    if (this.#unsent.length > 0) this.#body?.pause()
  }

  #endBody(): void {
    this.#hasBodyEnded = true
    this.#sendUnsent()
  }

  #addSendCredit(bytes: number): void {
    this.#sendCredit += bytes
    this.#sendUnsent()
    if (this.#unsent.length === 0) this.#body?.resume()
  }

  #sendUnsent(): void {
    for (let first = this.#unsent[0]; first !== undefined && this.#sendCredit > 0; first = this.#unsent[0]) {
      const sent = first.subarray(0, this.#sendCredit)
      if (sent.length === first.length) this.#unsent.shift()
      else this.#unsent[0] = first.subarray(sent.length)
      this.#sendCredit -= sent.length
      this.#connection.sendData(this.#id, sent)
    }
    if (this.#hasBodyEnded && this.#unsent.length === 0 && !this.#isOver) {
      this.#hasBodyEnded = false
      this.#connection.send(frameTypes.end, this.#id)
    }
  }

  #deliver({ type, payload }: WaitingFrame): void {
    if (this.#isOver) return
    if (type === frameTypes.reset) this.#fail(new Error('the service cut the answer'), false)
    else if (type === frameTypes.answer && !this.#hasHead) this.#deliverHead(payload)
    else if (type === frameTypes.data && this.#hasHead) this.#deliverBody(payload)
    else if (type === frameTypes.end && this.#hasHead) this.#end()
    else throw new FrameError('a frame of an answer at the wrong place')
  }

  #deliverHead(payload: Buffer): void {
    const { status, headers } = decodeAnswerHead(payload)
    this.#hasHead = true
    this.#guarded(() => this.#handler.onResponseStart(this, status, headers))
  }

  #deliverBody(payload: Buffer): void {
    this.#guarded(() => this.#handler.onResponseData(this, payload))
    this.#taken += payload.length
    if (this.#isOver || this.#taken < answerCreditBytes / 2) return
    this.#connection.send(frameTypes.credit, this.#id, creditPayload(this.#taken))
    this.#credit += this.#taken
    this.#taken = 0
  }

  #end(): void {
    this.#close(this.#body !== null && !this.#body.readableEnded)
    this.#guarded(() => this.#handler.onResponseEnd())
  }

  #fail(error: Error, isOurs: boolean): void {
    if (this.#isOver) return
    this.#close(isOurs)
    this.#handler.onResponseError(this.#isStarted ? this : null, error)
  }

  /** An answer that the client's connection refuses, such as one with an impossible header, is the answer's failure. */
  #guarded(deliver: () => void): void {
    try {
      deliver()
    } catch (error) {
      this.#fail(error as Error, true)
    }
  }

  #close(withReset: boolean): void {
    this.#isOver = true
    this.#waiting = []
    this.#unsent = []
    if (withReset) this.#connection.send(frameTypes.reset, this.#id)
    if (this.#isStarted) this.#body?.destroy()
    this.#onOver()
  }
}
