import {
  type CallFailure,
  createEndpointClient,
  type EndpointAnswer,
  type EndpointInput,
  type EndpointRequest,
  failureOf,
  requestOf,
} from '@ratchet/contracts/client/endpoint-client'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { ErrorEnvelope } from '@ratchet/contracts/errors'
import { backoff } from '@ratchet/service-kit/timing/backoff'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { type OutgoingRequest, openBytes, openRequest, sendRequest } from '../send-request.ts'
import { oneLine } from '../text/printable.ts'
import type { ApiAddress } from './api-address.ts'

/** A reply as its contract parses it, and unparsed: `--json` also prints fields of a newer deployment. */
export interface Reply<T> {
  readonly value: T
  readonly json: Readonly<Record<string, unknown>>
}

export interface CallOptions {
  /** Maximum total time for retries while the deployment is unavailable. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Called with the cause before each wait. */
  readonly onWait?: (remark: string) => void
}

export interface Api {
  /**
   * Calls an endpoint, with retries while the deployment is unavailable.
   *
   * @throws ApiRefusal for an error of the API
   * @throws CliError for an answer that does not match the contract, or when none came before the timeout
   */
  call<E extends Endpoint>(
    endpoint: E,
    input?: EndpointInput<E>,
    options?: CallOptions,
  ): Promise<Reply<z.output<E['reply']>>>

  /**
   * Downloads what an endpoint streams.
   *
   * @throws ApiRefusal for an error of the API
   * @throws CliError when there is no answer, or it ends too early
   */
  download<E extends Endpoint>(endpoint: E, input?: EndpointInput<E>): AsyncIterable<string>
  /** Downloads a file. @throws as `download` */
  downloadBytes<E extends Endpoint>(endpoint: E, input?: EndpointInput<E>): AsyncIterable<Uint8Array>
}

/** An error answer of the API. */
export class ApiRefusal extends CliError {
  override name = 'ApiRefusal'
  readonly error: ErrorEnvelope['error']

  constructor(error: ErrorEnvelope['error']) {
    const place = [error.code, error.param].filter((part) => part !== null).join(', ')
    super(oneLine(place === '' ? error.message : `${error.message} (${place})`))
    this.error = error
  }
}

interface OpenedReply<Piece> {
  readonly status: number
  readonly body: AsyncIterable<Piece>
}

/** Statuses of a deployment, or of a proxy before it, that is temporarily unavailable. */
const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
const timeoutMs = 60_000
const defaultTimeoutMs = 15_000
const retryDelays = { firstMs: 1_000, maxMs: 15_000 }
/** Maximum of `Retry-After`. */
const longestRetryAfterMs = 60_000
const JsonObject = z.record(z.string(), z.unknown())

/** Creates a client of one deployment. The key is only in the header. */
export function createApi({ baseUrl, apiKey }: ApiAddress, io: Pick<CliIo, 'sleep' | 'stderr'>): Api {
  const client = createEndpointClient<CallOptions>({
    send({ method, path, headers, body }, options) {
      const sent = { ...headers, authorization: `Bearer ${apiKey}` }
      const init = { method, headers: sent, timeoutMs, ...(body === undefined ? {} : { body }) }
      return sendUntilAnswered({ url: baseUrl + path, init }, options, io)
    },
    errorOf(failure, { method, path }) {
      if (failure.kind === 'refused') return new ApiRefusal(failure.error)
      return notUnderstood(method, new URL(baseUrl + path), failure)
    },
  })
  /** Reads what is opened, and makes any other answer an error. */
  async function* streamed<Piece extends string | Uint8Array>(
    open: (url: string, headers: Readonly<Record<string, string>>) => Promise<OpenedReply<Piece>>,
    request: EndpointRequest,
  ): AsyncGenerator<Piece> {
    const url = baseUrl + request.path
    try {
      const { status, body } = await open(url, { ...request.headers, authorization: `Bearer ${apiKey}` })
      if (status === 200) return yield* body
      const pieces: Buffer[] = []
      for await (const piece of body) pieces.push(Buffer.from(piece))
      throw unavailable(url, { status, body: Buffer.concat(pieces).toString('utf8') })
    } catch (error) {
      if (error instanceof CliError) throw error
      throw new CliError(`the download from ${new URL(url).origin} broke (${reasonOf(error)})`, { cause: error })
    }
  }
  return {
    async call(endpoint, input = {}, options = {}) {
      const { value, json } = await client.call(endpoint, input, options)
      // A plain array is printed as the envelope that other lists have.
      return { value, json: Array.isArray(json) ? { object: 'list', data: json } : JsonObject.parse(json) }
    },
    download: (endpoint, input = {}) => streamed(openRequest, requestOf(endpoint, input)),
    downloadBytes: (endpoint, input = {}) => streamed(openBytes, requestOf(endpoint, input)),
  }
}

interface HttpRequest {
  readonly url: string
  readonly init: OutgoingRequest
}

/** @throws CliError when the deployment is unavailable for longer than the timeout */
async function sendUntilAnswered(
  request: HttpRequest,
  options: CallOptions,
  io: Pick<CliIo, 'sleep' | 'stderr'>,
): Promise<EndpointAnswer> {
  const { timeoutMs = defaultTimeoutMs, signal = new AbortController().signal } = options
  const onWait = options.onWait ?? ((remark) => io.stderr(`${remark}\n`))
  let waitedMs = 0
  for (let tries = 0; ; tries++) {
    const outcome = await attempt(request, signal)
    if (outcome.kind === 'answered') return outcome.answer
    const waitMs = Math.max(backoff(tries, retryDelays), outcome.retryAfterMs)
    if (waitedMs + waitMs > timeoutMs) throw outcome.error
    onWait(`${outcome.error.message}; retrying in ${waitMs / 1_000} s`)
    await io.sleep(waitMs, signal)
    waitedMs += waitMs
  }
}

type Outcome =
  | { readonly kind: 'answered'; readonly answer: EndpointAnswer }
  | { readonly kind: 'passing'; readonly error: CliError; readonly retryAfterMs: number }

async function attempt({ url, init }: HttpRequest, signal: AbortSignal): Promise<Outcome> {
  signal.throwIfAborted()
  try {
    const { status, headers, text: body } = await sendRequest(url, { ...init, signal })
    if (!passing.has(status)) return { kind: 'answered', answer: { status, body } }
    return { kind: 'passing', error: unavailable(url, { status, body }), retryAfterMs: retryAfterMsOf(headers) }
  } catch (error) {
    signal.throwIfAborted()
    const message = `${new URL(url).origin} cannot be reached (${reasonOf(error)})`
    return { kind: 'passing', error: new CliError(message, { cause: error }), retryAfterMs: 0 }
  }
}

function retryAfterMsOf(headers: Headers): number {
  const seconds = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(seconds) ? Math.min(Number(seconds) * 1_000, longestRetryAfterMs) : 0
}

/** A code such as `ECONNREFUSED`, which is in the cause of the error of `fetch`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = (error.cause ?? {}) as { code?: unknown }
  if (typeof code === 'string') return code
  return error.name === 'TimeoutError' ? `no answer within ${timeoutMs / 1_000} s` : 'the connection broke'
}

/** A proxy before the deployment may answer in its own format. */
function unavailable(url: string, { status, body }: EndpointAnswer): CliError {
  const failure = failureOf(status, body)
  return failure.kind === 'refused'
    ? new ApiRefusal(failure.error)
    : new CliError(`${new URL(url).origin} answered ${status}`)
}

function notUnderstood(
  method: string,
  { origin, pathname }: URL,
  { status, cause }: Extract<CallFailure, { kind: 'not_understood' }>,
): CliError {
  const where = cause?.issues[0]?.path.join('.') ?? ''
  const detail = where === '' ? '' : `; see ${where}`
  const message = `${method} ${origin}${pathname} answered ${status} with a body that does not match the API of this release${detail}`
  return new CliError(message, { cause })
}
