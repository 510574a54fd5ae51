import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { type VoiceError, voiceErrorOf } from '@ratchet/contracts/voice/voice-errors'
import { voiceOpenApi } from '@ratchet/contracts/voice/voice-openapi'
import type { BodyBudget } from '@ratchet/service-kit/http/body-budget'
import { logFailure } from '@ratchet/service-kit/http/log-failure'
import { asServiceError } from '@ratchet/service-kit/http/service-error'
import type { Logger } from 'pino'
import { cleanTarget } from '../admission/clean-target.ts'
import type { ClientAddressOf } from '../admission/client-address.ts'
import { admitVoiceRequest, type VoiceAdmissionDeps } from './admit-voice-request.ts'
import { forwardCarrier, isOfCarrier } from './carrier-request.ts'
import { rateHeaders } from './hourly-window.ts'
import { readBody } from './read-body.ts'
import { type ServiceAnswer, shownAnswer } from './voice-answer.ts'
import type { VoiceCall } from './voice-call.ts'

export interface VoiceListenerDeps extends VoiceAdmissionDeps {
  /** @throws ServiceError when the service does not answer */
  readonly forward: (call: VoiceCall) => Promise<ServiceAnswer>
  /** Memory for bodies. */
  readonly bodies: BodyBudget
  readonly clientAddressOf: ClientAddressOf
  readonly newId: () => string
  readonly logger: Logger
}

/** Request headers that the service reads. */
const passedHeaders = ['content-type', 'idempotency-key', 'if-match', 'accept', 'last-event-id', 'range'] as const

/**
 * The listener of the voice interface. Every answer has `X-Request-Id` and the headers of the hourly limit, and every refusal is
 * one of the interface's table.
 */
export function createVoiceListener(deps: VoiceListenerDeps): RequestListener {
  return (request, response) => {
    const requestId = deps.newId()
    response.setHeader('x-request-id', requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('cache-control', 'no-store')
    serve(deps, { request, response, requestId }).catch((thrown: unknown) => {
      const error = asServiceError(thrown)
      if (error.status >= 500) logFailure(deps.logger, error, requestId)
      // What is wrong with the target or the size of a body is known before the body is read.
      const refusal = voiceErrorOf(error.code, { isBodyRead: false })
      refuse(response, refusal, error.message, error.headers)
    })
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
}

async function serve(deps: VoiceListenerDeps, { request, response, requestId }: Exchange): Promise<void> {
  const { method = 'GET' } = request
  const apiKey = headerOf(request, 'x-api-key') ?? null
  const address = deps.clientAddressOf(request)
  const target = targetOf(request.url ?? '')
  if (isDocument(method, target?.path)) {
    sendDocument(deps, response, address)
    return
  }
  if (isOfCarrier(method, target?.path ?? '')) {
    send(deps, { request, response, requestId }, await forwardCarrier(deps, request, { requestId, address }))
    return
  }
  const admission = await admitVoiceRequest(deps, { method, path: target?.path ?? '/', apiKey, address })
  for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value)
  // Whoever has no valid key does not learn what is wrong with the path.
  const isKnown = admission.kind === 'admitted' || admission.status === 404
  if (target === null && isKnown) {
    refuse(response, { status: 400, code: 'BAD_REQUEST' }, 'The path or query cannot be read.')
    return
  }
  if (admission.kind === 'refused') {
    refuse(response, admission, admission.message)
    return
  }
  const { endpoint, caller } = admission
  const { env, scope, ...key } = caller
  const identity = { ...key, voice: { env, scope } }
  const url = target?.url ?? '/'
  const held = deps.bodies.enter(caller.workspaceId)
  try {
    const body = await readBody(request, endpoint.maxBodyBytes, held)
    const answer = await deps.forward({ requestId, method, url, identity, headers: passed(request), body })
    holdAnswer(deps, { workspaceId: caller.workspaceId, response }, answer)
    send(deps, { request, response, requestId }, answer)
  } finally {
    held.leave()
  }
}

/**
 * An answer is in memory until its client has read it.
 *
 * @throws ServiceError `service_unavailable` when others that the workspace does not read take its share
 */
function holdAnswer(
  { bodies }: VoiceListenerDeps,
  { workspaceId, response }: { readonly workspaceId: string; readonly response: ServerResponse },
  { body }: ServiceAnswer,
): void {
  if (body instanceof Readable) return
  const held = bodies.enter(workspaceId)
  held.add(body.length)
  if (response.destroyed) held.leave()
  else response.once('close', () => held.leave())
}

const documentPaths = new Set(['/v1/openapi.json', '/openapi.json'])
const document = Buffer.from(JSON.stringify(voiceOpenApi()))

function isDocument(method: string, path: string | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && path !== undefined && documentPaths.has(path)
}

/** The description of the interface needs no key, and is counted as other requests without one. */
function sendDocument({ addresses, now }: VoiceListenerDeps, response: ServerResponse, address: string): void {
  const place = addresses.count(address, now().getTime())
  for (const [name, value] of Object.entries(rateHeaders(place))) response.setHeader(name, value)
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': document.length })
  response.end(document)
}

function send({ logger }: VoiceListenerDeps, { response, requestId }: Exchange, answer: ServiceAnswer): void {
  const shown = shownAnswer(answer)
  if (shown === null) {
    logger.error({ event: 'voice_answer_refused', requestId, status: answer.status }, 'an answer is not of the table')
    refuse(response, { status: 500, code: 'INTERNAL_ERROR' }, 'Something went wrong on our side.')
    return
  }
  if (shown.body instanceof Readable) {
    response.writeHead(shown.status, { ...shown.headers, 'x-accel-buffering': 'no' })
    // A client that leaves ends the stream of the service; one of the service that is cut ends the answer.
    pipeline(shown.body, response, () => undefined)
    return
  }
  response.writeHead(shown.status, { ...shown.headers, 'content-length': shown.body.length })
  response.end(shown.body)
}

function refuse(
  response: ServerResponse,
  { status, code }: VoiceError,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = JSON.stringify({ error: { message, code } })
  const length = Buffer.byteLength(body)
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': length,
  })
  response.end(body)
}

function targetOf(url: string): ReturnType<typeof cleanTarget> | null {
  try {
    return cleanTarget(url)
  } catch {
    return null
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

function passed(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    passedHeaders.flatMap((name) => {
      const value = headerOf(request, name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
