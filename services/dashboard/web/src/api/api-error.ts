import type { CallFailure } from '@ratchet/contracts/client/endpoint-client'

interface ApiErrorFields {
  readonly status: number
  readonly code: string | null
  readonly param: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  /** Seconds to wait; null when the answer has no `Retry-After`. */
  readonly retryAfter: number | null
}

/** An answer that is an error of the API. Its message is a sentence for the reader. */
export class ApiError extends Error implements ApiErrorFields {
  readonly status: number
  readonly code: string | null
  readonly param: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  readonly retryAfter: number | null

  constructor(message: string, fields: ApiErrorFields) {
    super(message)
    this.name = 'ApiError'
    this.status = fields.status
    this.code = fields.code
    this.param = fields.param
    this.details = fields.details
    this.requestId = fields.requestId
    this.retryAfter = fields.retryAfter
  }
}

/** No answer arrived: the network or the server is unreachable. */
export class UnreachableError extends Error {
  constructor() {
    super('The server cannot be reached. Check the network; this page tries again by itself.')
    this.name = 'UnreachableError'
  }
}

/** The error for an answer that is not a reply. */
export function apiErrorOf(failure: CallFailure, retryAfter: string | null): ApiError {
  const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null
  if (failure.kind === 'not_understood') {
    const message = `The server answered with status ${failure.status} and nothing that this page understands. Reload the page.`
    return new ApiError(message, {
      status: failure.status,
      code: null,
      param: null,
      details: {},
      requestId: null,
      retryAfter: seconds,
    })
  }
  const { message, code, param, request_id: requestId, details = {} } = failure.error
  return new ApiError(message, { status: failure.status, code, param, details, requestId, retryAfter: seconds })
}

/** Whether the same request may succeed a little later without any change. */
export function isTransient(error: unknown): boolean {
  if (error instanceof UnreachableError) return true
  return error instanceof ApiError && [502, 503, 504].includes(error.status)
}
