import type { Endpoint } from '@ratchet/contracts/endpoint'
import { ErrorEnvelope } from '@ratchet/contracts/errors'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { CallFailed, type CollectedAnswer, collectAnswer } from '@ratchet/http/collect-answer'
import type { CallClocks } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { z } from 'zod'
import { startFleetSpan } from './fleet-span.ts'
import { type NamedKey, signIdentity } from './identity.ts'

export interface FleetClientOptions {
  /** The service that is called. */
  readonly audience: string
  readonly upstream: Dispatcher
  /** Key that signs for that audience. */
  readonly key: NamedKey
  readonly now: () => Date
  readonly newId: () => string
  readonly clocks?: CallClocks
  /** Maximum size of an answer, bytes. */
  readonly maxBytes?: number
}

export interface FleetRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query. */
  readonly path: string
  /** Route pattern of `path`, for traces; unknown when absent. */
  readonly route?: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string
  readonly signal?: AbortSignal
}

export interface FleetInput<E extends Endpoint> {
  readonly params?: z.input<E['params']>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: z.input<E['body']>
}

/** Calls another service of the fleet directly, not through the edge, with an identity. */
export interface FleetClient {
  /**
   * Calls an endpoint and reads its reply.
   *
   * @throws FleetCallError when the service refuses, is unavailable, or breaks its contract
   */
  call<E extends Endpoint>(endpoint: E, input: FleetInput<E>, identity: Identity): Promise<z.output<E['reply']>>
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

const patientClocks: CallClocks = { firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000 }
const mebibyte = 1024 * 1024

export function createFleetClient(options: FleetClientOptions): FleetClient {
  const { audience, upstream, key, now, newId, clocks = patientClocks, maxBytes = 64 * mebibyte } = options
  const client: FleetClient = {
    async send({ method, path, route, headers = {}, body, signal }, identity) {
      const requestId = newId()
      const signed = signIdentity(key, { audience, requestId, method, path }, identity, now().getTime())
      const known = { [requestIdHeader]: requestId, [identityHeader]: signed }
      const typed = body === undefined ? {} : { 'content-type': 'application/json' }
      const bytes = body === undefined ? null : Buffer.from(body)
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
    },
    async call(endpoint, input, identity) {
      const method = endpoint.method.toUpperCase() as FleetRequest['method']
      const path = pathOf(endpoint.path, input)
      const body = input.body === undefined ? {} : { body: JSON.stringify(input.body) }
      const answer = await client.send({ method, path, route: endpoint.path, ...body }, identity)
      if (answer.status >= 300) throw refusalOf(audience, answer)
      const parsed = endpoint.reply.safeParse(readJsonBody(answer.body))
      if (parsed.success) return parsed.data as never
      throw new FleetCallError(`${audience} answered ${method} ${path} wrongly`, { status: 502, cause: parsed.error })
    },
  }
  return client
}

function pathOf(template: string, { params = {}, query = {} }: Pick<FleetInput<Endpoint>, 'params' | 'query'>): string {
  const values = params as Readonly<Record<string, string>>
  const path = template.replace(/[:*](\w+)/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** The error of an unsuccessful answer. */
export function refusalOf(
  audience: string,
  { status, body }: Pick<CollectedAnswer, 'status' | 'body'>,
): FleetCallError {
  const envelope = ErrorEnvelope.safeParse(readJsonBody(body))
  if (!envelope.success) return new FleetCallError(`${audience} answered ${status}`, { status })
  const { message, code, param } = envelope.data.error
  return new FleetCallError(message, { status, code, param })
}

/** Parses a JSON text; null when it is invalid. */
export function readJsonBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
