import type { Endpoint } from '@ratchet/contracts/endpoint'
import { ErrorEnvelope } from '@ratchet/contracts/errors'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { type OutgoingRequest, sendRequest } from '../send-request.ts'
import { oneLine } from '../text/printable.ts'
import type { ApiAddress } from './api-address.ts'

/** A reply as its contract has it, and as it came: `--json` prints what a newer deployment says beyond the contract. */
export interface Reply<T> {
  readonly value: T
  readonly json: Readonly<Record<string, unknown>>
}

export interface CallInput {
  /** The parts of the path, by name. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly idempotencyKey?: string
  /** The version that is to be changed, and no other. */
  readonly ifMatch?: number
  /** Nothing is changed that is there already. */
  readonly ifAbsent?: boolean
}

export interface CallOptions {
  /** How long it waits, all in all, for a deployment that cannot answer. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Is told, before each wait, what happened. */
  readonly onWait?: (remark: string) => void
}

export interface Api {
  /**
   * Calls an endpoint, again where trying again can help.
   *
   * @throws ApiRefusal when the API says no
   * @throws CliError when it cannot be understood, or not be reached for longer than the patience
   */
  call<R extends z.ZodType>(
    endpoint: Pick<Endpoint<z.ZodType, z.ZodType, z.ZodType, R>, 'method' | 'path' | 'reply'>,
    input?: CallInput,
    options?: CallOptions,
  ): Promise<Reply<z.output<R>>>
}

/** What the API answers when it does not do what it was asked. */
export class ApiRefusal extends CliError {
  override name = 'ApiRefusal'
  readonly error: ErrorEnvelope['error']

  constructor(error: ErrorEnvelope['error']) {
    const place = [error.code, error.param].filter((part) => part !== null).join(', ')
    super(oneLine(place === '' ? error.message : `${error.message} (${place})`))
    this.error = error
  }
}

/** The deployment, or what is before it, cannot answer now. */
const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
const timeoutMs = 60_000
const defaultTimeoutMs = 15_000
const firstWaitMs = 1_000
const longestWaitMs = 15_000
/** However much later the deployment says. */
const longestRetryAfterMs = 60_000
const JsonObject = z.record(z.string(), z.unknown())

/** A connection to one deployment. The key is in the header and nowhere else. */
export function createApi(address: ApiAddress, io: Pick<CliIo, 'sleep' | 'stderr'>): Api {
  const untilAnswered = async (request: HttpRequest, options: CallOptions): Promise<Answered> => {
    const { timeoutMs = defaultTimeoutMs, signal = new AbortController().signal } = options
    const onWait = options.onWait ?? ((remark) => io.stderr(`${remark}\n`))
    let waitedMs = 0
    for (let tries = 0; ; tries++) {
      const outcome = await attempt(request, signal)
      if (outcome.kind === 'answered') return outcome
      const waitMs = Math.max(Math.min(firstWaitMs * 2 ** tries, longestWaitMs), outcome.retryAfterMs)
      if (waitedMs + waitMs > timeoutMs) throw outcome.error
      onWait(`${outcome.error.message}; trying again in ${waitMs / 1_000} s`)
      await io.sleep(waitMs, signal)
      waitedMs += waitMs
    }
  }
  return {
    call: async (endpoint, input = {}, options = {}) => {
      const request = requestOf(address, endpoint, input)
      const answered = await untilAnswered(request, options)
      if (!answered.isOk) throw refusalOf(request, answered)
      const json = JsonObject.safeParse(answered.json)
      const value = endpoint.reply.safeParse(answered.json)
      if (json.success && value.success) return { value: value.data, json: json.data }
      throw notUnderstood(request, answered.status, value.error)
    },
  }
}

interface HttpRequest {
  readonly url: string
  readonly init: OutgoingRequest & { readonly method: string }
}

interface Answered {
  readonly kind: 'answered'
  readonly status: number
  readonly isOk: boolean
  /** Undefined for what is not JSON. */
  readonly json: unknown
}

type Outcome = Answered | { readonly kind: 'passing'; readonly error: CliError; readonly retryAfterMs: number }

function requestOf(
  { baseUrl, apiKey }: ApiAddress,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  { params = {}, query = {}, body, idempotencyKey, ifMatch, ifAbsent = false }: CallInput,
): HttpRequest {
  const words = new URLSearchParams(query).toString()
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(ifMatch === undefined ? {} : { 'if-match': String(ifMatch) }),
    ...(ifAbsent ? { 'if-none-match': '*' } : {}),
  }
  return {
    url:
      baseUrl +
      path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? '')) +
      (words === '' ? '' : `?${words}`),
    init: {
      method: method.toUpperCase(),
      headers,
      timeoutMs,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  }
}

async function attempt(request: HttpRequest, signal: AbortSignal): Promise<Outcome> {
  signal.throwIfAborted()
  try {
    const { status, isOk, headers, text } = await sendRequest(request.url, { ...request.init, signal })
    const answered = { kind: 'answered' as const, status, isOk, json: parsed(text) }
    if (!passing.has(status)) return answered
    return { kind: 'passing', error: putOff(request, answered), retryAfterMs: retryAfterMsOf(headers) }
  } catch (error) {
    signal.throwIfAborted()
    const message = `${new URL(request.url).origin} cannot be reached (${reasonOf(error)})`
    return { kind: 'passing', error: new CliError(message, { cause: error }), retryAfterMs: 0 }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function retryAfterMsOf(headers: Headers): number {
  const seconds = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(seconds) ? Math.min(Number(seconds) * 1_000, longestRetryAfterMs) : 0
}

/** `ECONNREFUSED` and the like, which `fetch` keeps in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = (error.cause ?? {}) as { code?: unknown }
  if (typeof code === 'string') return code
  return error.name === 'TimeoutError' ? `no answer within ${timeoutMs / 1_000} s` : 'the connection broke'
}

function refusalOf(request: HttpRequest, { status, json }: Answered): CliError {
  const envelope = ErrorEnvelope.safeParse(json)
  return envelope.success ? new ApiRefusal(envelope.data.error) : notUnderstood(request, status)
}

/** What stands before a deployment says it in its own way. */
function putOff({ url }: HttpRequest, { status, json }: Answered): CliError {
  const envelope = ErrorEnvelope.safeParse(json)
  return envelope.success
    ? new ApiRefusal(envelope.data.error)
    : new CliError(`${new URL(url).origin} answered ${status}`)
}

function notUnderstood({ url, init }: HttpRequest, status: number, cause?: z.ZodError): CliError {
  const { origin, pathname } = new URL(url)
  const where = cause?.issues[0]?.path.join('.') ?? ''
  const detail = where === '' ? '' : `; see ${where}`
  return new CliError(
    `${init.method} ${origin}${pathname} answered ${status}, but not as the API of this release does${detail}`,
    { cause },
  )
}
