import type { ServerResponse } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createReaderPace, type ReaderPace } from '@ratchet/service-kit/timing/reader-pace'
import { contextOf, type EdgeRequest, type Fail } from '../admission/request-context.ts'
import { answerHead } from './answer-head.ts'
import { BodyStream, clientLeft } from './body-stream.ts'
import { cutOff, identityRefused, unanswered } from './failures.ts'
import type { AnswerHandler, ExchangeControl, ForwardedCall, ServiceHeaders, Transport } from './forwarded-call.ts'
import type { ForwarderOptions } from './forwarder.ts'
import { requestBody } from './request-body.ts'

export interface DispatchDeps extends ForwarderOptions {
  /** In the order in which they are tried. The last one takes every request. */
  readonly transports: readonly Transport[]
  /** Whether requests carry an identity of the edge. A service that then answers 401 refused that identity. */
  readonly isSigned: boolean
}

const refusedIdentity = new Error('the service refused the identity')

/** One request to a service and its answer. */
export class DispatchedRequest implements AnswerHandler {
  readonly #deps: DispatchDeps
  readonly #request: EdgeRequest
  readonly #response: ServerResponse
  readonly #fail: Fail
  readonly #call: ForwardedCall
  /** Undefined until the request is being sent; until then the service received nothing. */
  #controller: ExchangeControl | undefined
  #wasRetried = false
  #isOver = false
  #hasData = false
  /** Null when the reader is watched elsewhere. */
  readonly #pace: ReaderPace | null
  #isFull = false

  constructor(deps: DispatchDeps, request: EdgeRequest, response: ServerResponse, fail: Fail) {
    this.#deps = deps
    this.#request = request
    this.#response = response
    this.#fail = fail
    const onSlow = () => this.#onStall()
    this.#pace = request.hasWatchedReader === true ? null : createReaderPace({ windowMs: deps.stalledClientMs, onSlow })
    const { target, head } = contextOf(request)
    const built = deps.buildHead(request, deps.now().getTime())
    const headers = head.isGzipped ? withoutCoding(built) : built
    const body = requestBody(request)
    if (body instanceof BodyStream && body.length !== null) headers.push('content-length', String(body.length))
    this.#call = { method: request.method, path: target.url, headers, body }
    response.on('close', () => this.#onClientClose())
  }

  start(): void {
    this.#deps.transports.some((transport) => transport.dispatch(this.#call, this))
  }

  onRequestStart(controller: ExchangeControl): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(clientLeft)
  }

  onResponseStart(controller: ExchangeControl, status: number, headers: ServiceHeaders): void {
    if (status < 200) return
    if (status === 401 && this.#deps.isSigned) return void controller.abort(refusedIdentity)
    this.#response.writeHead(status, answerHead(headers, this.#request.id, this.#deps.drain))
    // The head of a stream is sent at once, in one packet with its first event if that arrived with it.
    if (headers['content-length'] === undefined) process.nextTick(() => this.#flushHead())
  }

  onResponseData(controller: ExchangeControl, chunk: Buffer): void {
    if (this.#isOver) return
    this.#hasData = true
    this.#pace?.wrote(chunk.length)
    if (this.#response.write(chunk) || this.#isFull) return
    this.#isFull = true
    controller.pause()
    this.#pace?.full()
    this.#response.once('drain', () => {
      this.#isFull = false
      this.#pace?.drained()
      controller.resume()
    })
  }

  onResponseEnd(): void {
    this.#isOver = true
    this.#response.end()
  }

  onResponseError(_controller: ExchangeControl | null, error: Error): void {
    if (this.#isOver) return
    if (error === clientLeft) return void this.#onClientClose()
    if (this.#mayRetry(error)) return void this.#retry()
    this.#isOver = true
    if (this.#response.headersSent) return void cutOff(this.#deps, this.#response)
    if (this.#call.body instanceof BodyStream) this.#call.body.destroy()
    this.#fail(this.#asServiceError(error))
  }

  /** Ends an answer that would never end of itself, where it is. */
  finish(): void {
    if (this.#isOver || !this.#response.headersSent) return
    this.#isOver = true
    this.#pace?.stop()
    this.#controller?.abort(clientLeft)
    this.#response.end()
  }

  #flushHead(): void {
    if (!this.#hasData && !this.#isOver) this.#response.flushHeaders()
  }

  #onClientClose(): void {
    this.#pace?.stop()
    if (this.#isOver) return
    this.#isOver = true
    // At the end of a drain the edge itself disconnected it. The service learns that from the connection, which is lost soon.
    if (this.#deps.drain.deadline.aborted) return
    this.#deps.events.clientLeft(this.#deps.service)
    this.#controller?.abort(clientLeft)
  }

  #onStall(): void {
    this.#isOver = true
    this.#deps.events.clientStalled(this.#deps.service)
    this.#controller?.abort(clientLeft)
    this.#response.destroy()
  }

  /** Only if the service cannot have acted on it: nothing was written, or it is a read on a closing connection. */
  #mayRetry(error: Error): boolean {
    if (this.#wasRetried || this.#response.headersSent || error instanceof ServiceError) return false
    if (this.#controller === undefined) return true
    const isRead = this.#call.method === 'GET' || this.#call.method === 'HEAD'
    return isRead && this.#call.body === null && error !== refusedIdentity
  }

  #retry(): void {
    this.#wasRetried = true
    this.#controller = undefined
    this.#deps.events.upstreamRetried(this.#deps.service)
    this.start()
  }

  #asServiceError(error: Error): ServiceError {
    if (error instanceof ServiceError) return error
    if (error === refusedIdentity) return identityRefused(this.#deps, this.#request.id)
    return unanswered(this.#deps, this.#controller === undefined ? 'unreachable' : 'no-answer', error)
  }
}

/** The body is decompressed on its way. */
function withoutCoding(headers: readonly string[]): string[] {
  return headers.filter((_each, index) => headers[index - (index % 2)] !== 'content-encoding')
}
