import { Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { NextFunction, Request, Response } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { bodyLimit, bodyTooLarge } from '../domain/body-limit.ts'
import { clearedPassageOf } from '../passage.ts'
import { answerHead } from './answer-head.ts'
import { cutAnswer } from './cut-answer.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'
import { upstreamFailure } from './upstream-failure.ts'

/** Milliseconds without a byte from the service. */
const silenceMs = 120_000
/** Shorter than the 65 s that our servers keep idle connections, so it is we who close them. */
const keepAliveMs = 4_000

/** One request under way: who answers the caller, and whether its end is accounted for. */
interface Passing {
  readonly next: NextFunction
  isOver: boolean
}

/**
 * The way to a service for the management API, by http-proxy-middleware. It gets a request whose
 * headers and URL were rebuilt already, and leaves the answer to us.
 */
export function createManagementProxy(options: ForwarderOptions): Forwarder {
  const { events, service, origin } = options
  const agent = new Agent({ keepAlive: true, timeout: keepAliveMs })
  const passings = new WeakMap<IncomingMessage, Passing>()
  const fail = (request: Request, failure: () => ServiceError) => {
    const passing = passings.get(request)
    if (passing === undefined || passing.isOver) return
    passing.isOver = true
    passing.next(failure())
  }
  const proxy = createProxyMiddleware<Request, Response>({
    target: origin,
    agent,
    xfwd: false,
    selfHandleResponse: true,
    proxyTimeout: silenceMs,
    on: {
      proxyReq: (outgoing, request) => countBody(outgoing, request),
      proxyRes: (answer, request, response) => {
        if (answer.statusCode !== 401)
          return relay(options, { answer, request, response, passing: passings.get(request) })
        answer.resume()
        fail(request, () => identityRefused(options, request.id))
      },
      error: (error, request) => fail(request, () => asServiceError(options, error)),
    },
  })
  return {
    forward(request, response, next) {
      const passing: Passing = { next, isOver: false }
      passings.set(request, passing)
      response.once('close', () => {
        if (!passing.isOver && !response.writableFinished) events.clientLeft(service)
        passing.isOver = true
      })
      request.headers = rebuiltHeaders(options, request)
      request.url = clearedPassageOf(request).target.url
      void proxy(request, response, (error) => fail(request, () => asServiceError(options, error as Error)))
    },
    async close() {
      agent.destroy()
    },
  }
}

function rebuiltHeaders({ buildHead, now }: ForwarderOptions, request: Request): Record<string, string> {
  const { head } = clearedPassageOf(request)
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

/** Counts a body without a declared length; runs in the turn in which the proxy begins to read it. */
function countBody(outgoing: ClientRequest, request: Request): void {
  const { head, destination } = clearedPassageOf(request)
  if (!head.isChunked) return
  const maxBytes = bodyLimit(head, destination.route)
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes || outgoing.destroyed) return
    request.unpipe(outgoing)
    request.resume()
    outgoing.destroy(bodyTooLarge(maxBytes))
  })
}

interface Relayed {
  readonly answer: IncomingMessage
  readonly request: Request
  readonly response: Response
  readonly passing: Passing | undefined
}

function relay(options: ForwarderOptions, { answer, request, response, passing }: Relayed): void {
  const head = answerHead(answer.headers, request.id)
  if (options.drain.draining) head.push('connection', 'close')
  response.writeHead(answer.statusCode ?? 502, head)
  if (answer.headers['content-length'] === undefined) response.flushHeaders()
  answer.once('error', () => {
    if (passing === undefined || passing.isOver) return
    passing.isOver = true
    options.events.upstreamFailed(options.service, 'cut')
    cutAnswer(response, options.stalledClientMs)
  })
  answer.pipe(response)
}

function identityRefused({ events, service }: ForwarderOptions, requestId: string): ServiceError {
  events.identityRefused(service, requestId)
  return new ServiceError('upstream_error', 'The service behind this URL did not accept the request.')
}

/** Errors with which no connection came about. */
const unreachableCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])

function asServiceError({ events, service }: ForwarderOptions, error: Error & { code?: unknown }): ServiceError {
  if (error instanceof ServiceError) return error
  const reason = unreachableCodes.has(String(error.code)) ? 'unreachable' : 'no-answer'
  events.upstreamFailed(service, reason)
  return upstreamFailure(reason, error)
}
