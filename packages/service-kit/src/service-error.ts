import { type ErrorCode, type ErrorEnvelope, errorCatalog, wireCode } from '@ratchet/contracts/errors'

export interface ServiceErrorOptions {
  /** The field at fault, as the caller spells it. */
  readonly param?: string
  /** Seconds after which trying again may help; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Further headers of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * A failure the caller is meant to see. `message` goes on the wire, so it holds no secrets;
 * whatever went wrong underneath belongs in `cause`, which is only logged.
 */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly code: ErrorCode
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.param = options.param ?? null
    this.details = options.details
    this.headers = {
      ...options.headers,
      ...(options.retryAfterSeconds === undefined ? {} : { 'retry-after': String(options.retryAfterSeconds) }),
    }
  }

  get status(): number {
    return errorCatalog[this.code].status
  }
}

/**
 * Any thrown value becomes a ServiceError: what Express and its body parsers refuse is the caller's mistake,
 * anything else `internal_error`, details hidden.
 */
export function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  const [code, message] = refusal(thrown) ?? ['internal_error', 'Something went wrong on our side.']
  return new ServiceError(code, message, { cause: thrown })
}

const refusals: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['invalid_request', 'The request cannot be read.'],
  413: ['request_too_large', 'The body is too large.'],
  415: ['unsupported_media_type', 'The encoding of the body is not supported.'],
}

/** A status alone proves nothing, it may be a provider's: body parsers set a type too, undecodable paths are URIErrors. */
function refusal(thrown: unknown): readonly [ErrorCode, string] | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { status = 0, type } = thrown as Error & { status?: number; type?: unknown }
  if (type === 'entity.parse.failed') return ['invalid_request', 'The body is not JSON.']
  return typeof type === 'string' || thrown instanceof URIError ? refusals[status] : undefined
}

/** The body of an error answer, in OpenAI's shape plus `request_id`. */
export function toEnvelope(error: ServiceError, requestId: string): ErrorEnvelope {
  const { type } = errorCatalog[error.code]
  const withId = error.status >= 500 ? `${error.message} (request id ${requestId})` : error.message
  return {
    error: {
      message: withId,
      type,
      code: wireCode(error.code),
      param: error.param,
      request_id: requestId,
      ...(error.details === undefined ? {} : { details: { ...error.details } }),
    },
  }
}
