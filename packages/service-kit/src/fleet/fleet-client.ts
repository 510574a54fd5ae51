import { mebibyte } from '@ratchet/contracts/byte-sizes'
import {
  type CallFailure,
  createEndpointClient,
  type EndpointInput,
  failureOf,
} from '@ratchet/contracts/client/endpoint-client'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { CallFailed, type CollectedAnswer, collectAnswer } from '@ratchet/http/collect-answer'
import type { CallClocks } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { z } from 'zod'
import { type SigningKey, signIdentity } from '../identity/identity.ts'
import { parseJson } from '../values/json.ts'
import { startFleetSpan } from './fleet-span.ts'

export interface FleetClientOptions {
  /** The service that is called. */
  readonly audience: string
  readonly upstream: Dispatcher
  /** Key that signs for that audience. */
  readonly key: SigningKey
  readonly now: () => Date
  readonly newId: () => string
  readonly clocks?: CallClocks
  /** Maximum size of an answer, bytes. */
  readonly maxBytes?: number
}

export interface FleetRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query. */
  readonly path: string
  /** Route pattern of `path`, for traces; unknown when absent. */
  readonly route?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text, or bytes whose type is among the headers. */
  readonly body?: string | Buffer
  readonly signal?: AbortSignal
}

/** Calls another service of the fleet directly, not through the edge, with an identity. */
export interface FleetClient {
  /**
   * Calls an endpoint and reads its reply.
   *
   * @throws FleetCallError when the service refuses, is unavailable, or breaks its contract
   */
  call<E extends Endpoint>(endpoint: E, input: EndpointInput<E>, identity: Identity): Promise<z.output<E['reply']>>
  /** Sends a request and resolves with any answer. @throws FleetCallError without an answer */
  send(request: FleetRequest, identity: Identity): Promise<CollectedAnswer>
}

/** A call inside the fleet that did not succeed. */
export class FleetCallError extends Error {
  override name = 'FleetCallError'
  /** HTTP status; 0 without an answer. */
  readonly status: number
  readonly code: string | null
  readonly param: string | null

  constructor(message: string, { status, code, param, cause }: FleetFailure) {
    super(message, { cause })
    this.status = status
    this.code = code ?? null
    this.param = param ?? null
  }

  /** Whether the same call may succeed later. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

interface FleetFailure {
  readonly status: number
  readonly code?: string | null
  readonly param?: string | null
  readonly cause?: unknown
}

const defaultClocks: CallClocks = { firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000 }

export function createFleetClient(options: FleetClientOptions): FleetClient {
  const { audience } = options
  const send = (request: FleetRequest, identity: Identity) => sendSigned(options, request, identity)
  const client = createEndpointClient<Identity>({
    async send(request, identity) {
      const { status, body } = await send(request, identity)
      return { status, body: body.toString('utf8') }
    },
    errorOf: (failure, { method, path }) => errorOf(failure, { audience, call: `${method} ${path}` }),
  })
  return {
    send,
    call: async (endpoint, input, identity) => (await client.call(endpoint, input, identity)).value,
  }
}

async function sendSigned(
  options: FleetClientOptions,
  { method, path, route, headers = {}, body, signal }: FleetRequest,
  identity: Identity,
): Promise<CollectedAnswer> {
  const { audience, upstream, key, now, newId, clocks = defaultClocks, maxBytes = 64 * mebibyte } = options
  const requestId = newId()
  const signed = signIdentity(key, { audience, requestId, method, path }, identity, now().getTime())
  const known = { [requestIdHeader]: requestId, [identityHeader]: signed }
  const typed = body === undefined ? {} : { 'content-type': 'application/json' }
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? null)
  const span = startFleetSpan({ audience, method, route })
  const sent = { ...typed, ...headers, ...known, ...span.headers }
  const request = { method, path, headers: sent, body: bytes, clocks }
  try {
    const answer = await collectAnswer(upstream, request, { maxBytes, ...(signal === undefined ? {} : { signal }) })
    span.answered(answer.status)
    return answer
  } catch (cause) {
    span.failed(cause)
    const why = cause instanceof CallFailed ? cause.kind : 'broken'
    throw new FleetCallError(`${audience} did not answer ${method} ${path}: ${why}`, { status: 0, cause })
  }
}

function errorOf(failure: CallFailure, { audience, call }: { readonly audience: string; readonly call: string }) {
  const { status } = failure
  if (failure.kind === 'refused') {
    const { message, code, param } = failure.error
    return new FleetCallError(message, { status, code, param })
  }
  if (failure.cause === null) return new FleetCallError(`${audience} answered ${status}`, { status })
  return new FleetCallError(`${audience} answered ${call} wrongly`, { status: 502, cause: failure.cause })
}

/** The error of an unsuccessful answer to `send`. */
export function refusalOf(
  audience: string,
  { status, body }: Pick<CollectedAnswer, 'status' | 'body'>,
): FleetCallError {
  return errorOf(failureOf(status, body.toString('utf8')), { audience, call: '' })
}

/** Parses a JSON text; null when it is invalid. */
export function readJsonBody(body: Buffer): unknown {
  return parseJson(body.toString('utf8')) ?? null
}
