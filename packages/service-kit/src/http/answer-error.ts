import type { ErrorEnvelope } from '@ratchet/contracts/errors'
import type { Logger } from 'pino'
import type { Drain } from '../process/drain.ts'
import { logFailure } from './log-failure.ts'
import type { ServedRequest, ServedResponse } from './served.ts'
import { asServiceError, type ServiceError, toEnvelope } from './service-error.ts'

export interface AnswerErrorOptions {
  readonly logger: Logger
  readonly health: { readonly drain: Drain }
  /** The body of an error answer for a path; absent: the envelope. */
  readonly errorBody?: (path: string, envelope: ErrorEnvelope) => object
}

/**
 * Answers anything that was thrown with the envelope, and logs errors with status 500 and above.
 *
 * @returns false when an answer had begun, which can only be cut
 */
export function answerError(
  { logger, health, errorBody }: AnswerErrorOptions,
  { request, response }: { readonly request: Pick<ServedRequest, 'id' | 'path'>; readonly response: ServedResponse },
  thrown: unknown,
): boolean {
  const error = asServiceError(thrown)
  if (error.status >= 500) logFailure(logger, error, request.id)
  if (response.headersSent) return false
  labelAnswer(request, response, health.drain)
  const envelope = toEnvelope(error, request.id)
  sendError(response, error, errorBody?.(request.path, envelope) ?? envelope)
  return true
}

/** Headers of every reply: the request's id and, while the process drains, `Connection: close`. */
export function labelAnswer(request: Pick<ServedRequest, 'id'>, response: ServedResponse, drain: Drain): void {
  response.setHeader('x-request-id', request.id)
  if (drain.draining) response.setHeader('connection', 'close')
}

export function sendError(response: ServedResponse, error: ServiceError, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(error.status, {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...error.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
  })
  response.end(bytes)
}
