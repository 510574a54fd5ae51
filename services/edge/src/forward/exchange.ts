import { ServiceError } from '@ratchet/service-kit/service-error'
import type { NextFunction, Request, Response } from 'express'
import type { Dispatcher } from 'undici'
import { clearedPassageOf } from '../passage.ts'
import { answerHead } from './answer-head.ts'
import { BodyStream, clientLeft } from './body-stream.ts'
import { cutAnswer } from './cut-answer.ts'
import type { ForwarderOptions } from './forwarder.ts'
import { requestBody } from './request-body.ts'
import { upstreamFailure } from './upstream-failure.ts'

export interface ExchangeDeps extends ForwarderOptions {
  readonly dispatcher: Dispatcher
}

type ServiceHeaders = Readonly<Record<string, string | string[] | undefined>>

const identityRefused = new Error('the service refused the identity')

/** One request on its way to a service and one answer on its way back. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #deps: ExchangeDeps
  readonly #request: Request
  readonly #response: Response
  readonly #next: NextFunction
  readonly #options: Dispatcher.DispatchOptions
  /** Undefined until undici begins to write the request: until then the service knows nothing of it. */
  #controller: Dispatcher.DispatchController | undefined
  #wasRetried = false
  #isOver = false
  #hasData = false
  #stallTimer: NodeJS.Timeout | undefined

  constructor(deps: ExchangeDeps, request: Request, response: Response, next: NextFunction) {
    this.#deps = deps
    this.#request = request
    this.#response = response
    this.#next = next
    const { target, head } = clearedPassageOf(request)
    const headers = deps.buildHead(request, deps.now().getTime())
    const body = requestBody(request)
    if (body instanceof BodyStream && !head.isChunked) headers.push('content-length', String(head.contentLength))
    this.#options = { method: request.method, path: target.url, headers, body }
    response.on('close', () => this.#onClientClose())
  }

  start(): void {
    this.#deps.dispatcher.dispatch(this.#options, this)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(clientLeft)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ServiceHeaders): void {
    if (status < 200) return
    // Not the caller's fault: the edge vouched for the caller, and the service did not believe the edge.
    if (status === 401) return void controller.abort(identityRefused)
    const head = answerHead(headers, this.#request.id)
    if (this.#deps.drain.draining) head.push('connection', 'close')
    this.#response.writeHead(status, head)
    // A stream's head goes out at once, in one packet with its first event when that came along.
    if (headers['content-length'] === undefined) process.nextTick(() => this.#flushHead())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#hasData = true
    if (this.#response.write(chunk)) return
    controller.pause()
    this.#stallTimer ??= setTimeout(() => this.#onStall(), this.#deps.stalledClientMs)
    this.#response.once('drain', () => {
      clearTimeout(this.#stallTimer)
      this.#stallTimer = undefined
      controller.resume()
    })
  }

  onResponseEnd(): void {
    this.#isOver = true
    this.#response.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isOver) return
    if (error === clientLeft) return void this.#onClientClose()
    if (this.#mayRetry(error)) return void this.#retry()
    this.#isOver = true
    if (this.#response.headersSent) return void this.#cut()
    if (this.#options.body instanceof BodyStream) this.#options.body.destroy()
    this.#next(this.#asServiceError(error))
  }

  #flushHead(): void {
    if (!this.#hasData && !this.#isOver) this.#response.flushHeaders()
  }

  #onClientClose(): void {
    clearTimeout(this.#stallTimer)
    if (this.#isOver) return
    this.#isOver = true
    this.#deps.events.clientLeft(this.#deps.service)
    this.#controller?.abort(clientLeft)
  }

  #onStall(): void {
    this.#isOver = true
    this.#deps.events.clientStalled(this.#deps.service)
    this.#controller?.abort(clientLeft)
    this.#response.destroy()
  }

  /** Only what the service cannot have acted on: nothing was written, or a read on a connection that was closing. */
  #mayRetry(error: Error): boolean {
    if (this.#wasRetried || this.#response.headersSent || error instanceof ServiceError) return false
    if (this.#controller === undefined) return true
    const isRead = this.#options.method === 'GET' || this.#options.method === 'HEAD'
    return isRead && this.#options.body === null && error !== identityRefused
  }

  #retry(): void {
    this.#wasRetried = true
    this.#controller = undefined
    this.#deps.events.upstreamRetried(this.#deps.service)
    this.start()
  }

  /** The answer cannot be completed: what arrived is delivered, then the connection ends without an end of answer. */
  #cut(): void {
    this.#deps.events.upstreamFailed(this.#deps.service, 'cut')
    cutAnswer(this.#response, this.#deps.stalledClientMs)
  }

  #asServiceError(error: Error): ServiceError {
    const { events, service } = this.#deps
    if (error instanceof ServiceError) return error
    if (error === identityRefused) {
      events.identityRefused(service, this.#request.id)
      return new ServiceError('upstream_error', 'The service behind this URL did not accept the request.')
    }
    const reason = this.#controller === undefined ? 'unreachable' : 'no-answer'
    events.upstreamFailed(service, reason)
    return upstreamFailure(reason, error)
  }
}
