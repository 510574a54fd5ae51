import { Agent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { bodyLimit, bodyTooLarge } from '../admission/body-limit.ts'
import { admittedContextOf, type EdgeRequest, type Fail } from '../admission/request-context.ts'
import { answerHead } from './answer-head.ts'
import { cutOff, identityRefused, unanswered } from './failures.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'

/** Milliseconds without a byte from the service. */
const silenceMs = 120_000
/** Shorter than the 65 s after which our servers close idle connections: a server must not close first. */
const keepAliveMs = 4_000

/**
 * Forwards a request of the management API with http-proxy-middleware. The middleware receives a request with rebuilt
 * headers and URL. This file writes the answer.
 */
export function createManagementProxy(options: ForwarderOptions): Forwarder {
  const agent = new Agent({ keepAlive: true, timeout: keepAliveMs })
  const running = new WeakMap<IncomingMessage, RunningRequest>()
  const proxy = createProxyMiddleware<EdgeRequest, ServerResponse>({
    target: options.origin,
    agent,
    xfwd: false,
    selfHandleResponse: true,
    proxyTimeout: silenceMs,
    on: {
      proxyReq: (outgoing, request) => countBody(outgoing, request),
      proxyRes: (answer, request) => running.get(request)?.relay(answer),
      error: (error, request) => running.get(request)?.fail(error),
    },
  })
  return {
    forward(request, response, fail) {
      const forwarded = new RunningRequest(options, { request, response, fail })
      running.set(request, forwarded)
      request.headers = rebuiltHeaders(options, request)
      request.url = admittedContextOf(request).target.url
      void proxy(request, response, (error) => forwarded.fail(error as Error))
    },
    async close() {
      agent.destroy()
    },
  }
}

interface Call {
  readonly request: EdgeRequest
  readonly response: ServerResponse
  readonly fail: Fail
}

/** One forwarded request. It ends once: by its answer, by a failure, or because the client disconnected. */
class RunningRequest {
  readonly #options: ForwarderOptions
  readonly #call: Call
  #isOver = false

  constructor(options: ForwarderOptions, call: Call) {
    this.#options = options
    this.#call = call
    call.response.once('close', () => this.#onClose())
  }

  /** Writes the service's answer to the client. */
  relay(answer: IncomingMessage): void {
    const { request, response } = this.#call
    if (answer.statusCode === 401) {
      answer.resume()
      return void this.#end(() => this.#call.fail(identityRefused(this.#options, request.id)))
    }
    response.writeHead(answer.statusCode ?? 502, answerHead(answer.headers, request.id, this.#options.drain))
    if (answer.headers['content-length'] === undefined) response.flushHeaders()
    answer.once('error', () => this.#end(() => cutOff(this.#options, response)))
    answer.pipe(response)
  }

  fail(error: Error & { code?: unknown }): void {
    this.#end(() => this.#call.fail(asServiceError(this.#options, error)))
  }

  #onClose(): void {
    const { events, service } = this.#options
    this.#end(() => {
      if (!this.#call.response.writableFinished) events.clientLeft(service)
    })
  }

  #end(how: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    how()
  }
}

function rebuiltHeaders({ buildHead, now }: ForwarderOptions, request: EdgeRequest): Record<string, string> {
  const { head } = admittedContextOf(request)
  const flat = buildHead(request, now().getTime())
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [name, value] = [flat[i] as string, flat[i + 1] as string]
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  if (head.isChunked) headers['transfer-encoding'] = 'chunked'
  else if (head.contentLength !== null) headers['content-length'] = String(head.contentLength)
  return headers
}

/** Counts a body without a declared length. It must be called before the proxy reads the first bytes. */
function countBody(outgoing: ClientRequest, request: EdgeRequest): void {
  const { head, endpoint } = admittedContextOf(request)
  if (!head.isChunked) return
  const maxBytes = bodyLimit(head, endpoint)
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes || outgoing.destroyed) return
    request.unpipe(outgoing)
    request.resume()
    outgoing.destroy(bodyTooLarge(maxBytes))
  })
}

/** Codes of errors without a connection. */
const unreachableCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

function asServiceError(options: ForwarderOptions, error: Error & { code?: unknown }): ServiceError {
  if (error instanceof ServiceError) return error
  return unanswered(options, unreachableCodes.has(String(error.code)) ? 'unreachable' : 'no-answer', error)
}
