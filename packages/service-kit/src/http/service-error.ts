import { type ErrorCode, type ErrorEnvelope, errorCatalog, wireCode } from '@ratchet/contracts/errors'
import { isDatabaseUnavailable } from './database-unavailable.ts'

export interface ServiceErrorOptions {
  /** The wrong field, as the client names it. */
  readonly param?: string
  /** Seconds after which a retry may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Further headers of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/**
 * An error for the client. `message` is sent, so it must not contain secrets; the internal reason belongs in `cause`,
 * which is only logged.
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

export function invalidRequest(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param })
}

/**
 * The same for every id, so that it reveals nothing about other workspaces.
 *
 * @param param the field that has the id
 */
export function notFound(thing: string, param = 'id'): ServiceError {
  return new ServiceError('not_found', `No ${thing} has this id.`, { param })
}

/**
 * Converts any thrown value to a ServiceError: an error of Express and its body parsers to a 4xx, that of a database
 * which is unavailable to a 503, any other to `internal_error` without details.
 */
export function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  if (isDatabaseUnavailable(thrown)) {
    const message = 'The service is unavailable at the moment. Retry.'
    return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: thrown })
  }
  const [code, message] = refusal(thrown) ?? ['internal_error', 'Something went wrong on our side.']
  return new ServiceError(code, message, { cause: thrown })
}

const refusals: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  400: ['invalid_request', 'The request cannot be read.'],
  413: ['request_too_large', 'The body is too large.'],
  415: ['unsupported_media_type', 'The encoding of the body is not supported.'],
}

/** A status alone may be a provider's. Body parsers also set a type, and paths that cannot be decoded are URIErrors. */
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
