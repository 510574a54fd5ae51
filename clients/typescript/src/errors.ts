import type { KnownErrorCode } from './generated/error-codes.js'

/** A code of the API. One of a later version is a text that this version does not list. */
export type ErrorCode = KnownErrorCode | (string & {})

export interface ErrorFacts {
  readonly status: number
  readonly code: ErrorCode | null
  readonly type: string
  readonly param: string | null
  readonly requestId: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** An answer of the API that is an error. `code` says which; `requestId` names the request in the logs of the fleet. */
export class RatchetError extends Error {
  override readonly name: string = 'RatchetError'
  readonly status: number
  readonly code: ErrorCode | null
  readonly type: string
  readonly param: string | null
  readonly requestId: string | null
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, facts: ErrorFacts) {
    super(message)
    this.status = facts.status
    this.code = facts.code
    this.type = facts.type
    this.param = facts.param
    this.requestId = facts.requestId
    this.details = facts.details
  }
}

/** 400, 405, 408, 413, 415: the request has to change. `param` names the field. */
export class InvalidRequestError extends RatchetError {
  override readonly name = 'InvalidRequestError'
}
/** 401. */
export class AuthenticationError extends RatchetError {
  override readonly name = 'AuthenticationError'
}
/** 402: the wallet or a budget does not cover the request. */
export class PaymentRequiredError extends RatchetError {
  override readonly name = 'PaymentRequiredError'
}
/** 403. */
export class PermissionError extends RatchetError {
  override readonly name = 'PermissionError'
}
/** 404. */
export class NotFoundError extends RatchetError {
  override readonly name = 'NotFoundError'
}
/** 409 and 412: the state of the object does not allow it. */
export class ConflictError extends RatchetError {
  override readonly name = 'ConflictError'
}
/** 429, after all retries. */
export class RateLimitError extends RatchetError {
  override readonly name = 'RateLimitError'
}
/** 5xx, after all retries. */
export class ServerError extends RatchetError {
  override readonly name = 'ServerError'
}

const byStatus: Readonly<Record<number, typeof RatchetError>> = {
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  429: RateLimitError,
}

/** Reads an error of any surface; an answer of something between, such as a proxy, has no code. */
export async function errorOf(response: Response): Promise<RatchetError> {
  const { status } = response
  const body: unknown = await response.json().catch(() => null)
  const error = fieldsOf(fieldsOf(body).error)
  const facts = {
    status,
    code: textOf(error.code),
    type: textOf(error.type) ?? 'unknown',
    param: textOf(error.param),
    requestId: textOf(error.request_id) ?? response.headers.get('x-request-id'),
    details: fieldsOf(error.details),
  }
  const kind = byStatus[status] ?? (status >= 500 ? ServerError : InvalidRequestError)
  return new kind(textOf(error.message) ?? `The server answered with ${status}.`, facts)
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
