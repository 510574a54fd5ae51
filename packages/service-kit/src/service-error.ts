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

/** Any thrown value becomes a ServiceError; unknown ones become `internal_error`, details hidden. */
export function asServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown
  return new ServiceError('internal_error', 'Something went wrong on our side.', { cause: thrown })
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
