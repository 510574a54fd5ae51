import type { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import { ErrorEnvelope } from '../errors.ts'

/** What a client needs of an endpoint: of a service's, or of the dashboard's own. */
export type CallableEndpoint = Pick<Endpoint, 'method' | 'path' | 'params' | 'query' | 'body' | 'reply'>

/** The input of a call. Values that are undefined are not sent. */
export interface EndpointInput<E extends CallableEndpoint> {
  readonly params?: z.input<E['params']>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: z.input<E['body']>
  readonly idempotencyKey?: string
  /** Sent as `Prefer`: `wait=N`. */
  readonly prefer?: string
  /** Sent as `If-Match`: the version that may be changed. */
  readonly ifMatch?: number
  /** Sends `If-None-Match: *`, so that an existing object is not changed. */
  readonly ifAbsent?: boolean
}

export interface EndpointRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query. */
  readonly path: string
  /** Pattern of the path, for traces: paths contain ids. */
  readonly route: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body?: string
}

export interface EndpointAnswer {
  readonly status: number
  readonly body: string
}

export interface EndpointReply<E extends CallableEndpoint> {
  readonly value: z.output<E['reply']>
  /** The unparsed reply: a newer server may send more fields than the contract has. */
  readonly json: unknown
}

/** Why an answer is not a reply. */
export type CallFailure =
  | { readonly kind: 'refused'; readonly status: number; readonly error: ErrorEnvelope['error'] }
  /** Neither a reply nor an error of the API. The cause says what is wrong with a successful answer. */
  | { readonly kind: 'not_understood'; readonly status: number; readonly cause: z.ZodError | null }

export interface EndpointClientOptions<Context> {
  /** Sends a request and resolves with any answer; rejects when there is none. */
  readonly send: (request: EndpointRequest, context: Context) => Promise<EndpointAnswer>
  /** Makes the error with which a call rejects. */
  readonly errorOf: (failure: CallFailure, request: EndpointRequest) => Error
}

export interface EndpointClient<Context> {
  /** Calls an endpoint and reads its reply. Rejects with the error of `send`, or with the result of `errorOf`. */
  call<E extends CallableEndpoint>(endpoint: E, input: EndpointInput<E>, context: Context): Promise<EndpointReply<E>>
}

/** Creates a client that is typed by the endpoints; `send` decides how a request is sent, and with which identity. */
export function createEndpointClient<Context>({
  send,
  errorOf,
}: EndpointClientOptions<Context>): EndpointClient<Context> {
  return {
    async call(endpoint, input, context) {
      const request = requestOf(endpoint, input)
      const { status, body } = await send(request, context)
      if (status < 200 || status >= 300) throw errorOf(failureOf(status, body), request)
      const json = parseJson(body)
      const reply = endpoint.reply.safeParse(json)
      if (reply.success) return { value: reply.data as never, json }
      throw errorOf({ kind: 'not_understood', status, cause: reply.error }, request)
    },
  }
}

/** The request of a call, without an identity. */
export function requestOf<E extends CallableEndpoint>({ method, path }: E, input: EndpointInput<E>): EndpointRequest {
  const { body, idempotencyKey, prefer, ifMatch, ifAbsent = false } = input
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  if (prefer !== undefined) headers.prefer = prefer
  if (ifMatch !== undefined) headers['if-match'] = String(ifMatch)
  if (ifAbsent) headers['if-none-match'] = '*'
  const request = {
    method: method.toUpperCase() as EndpointRequest['method'],
    path: pathOf(path, input),
    route: path,
    headers,
  }
  return body === undefined ? request : { ...request, body: JSON.stringify(body) }
}

function pathOf(
  template: string,
  { params = {}, query = {} }: Pick<EndpointInput<CallableEndpoint>, 'params' | 'query'>,
): string {
  const values = params as Readonly<Record<string, string>>
  const path = template.replace(/[:*](\w+)/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Reads an answer with a status outside of 200 to 299. */
export function failureOf(status: number, body: string): CallFailure {
  const envelope = ErrorEnvelope.safeParse(parseJson(body))
  if (!envelope.success) return { kind: 'not_understood', status, cause: null }
  return { kind: 'refused', status, error: envelope.data.error }
}

/** Returns null for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
