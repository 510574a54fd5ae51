import type { Logger } from 'pino'
import type { ServiceError } from './service-error.ts'

/**
 * Logs an internal failure at level error: a bug with its stack, an outage in one line with the codes and messages of its
 * causes, because it repeats for every request.
 */
export function logFailure(logger: Logger, error: ServiceError, requestId: string): void {
  if (error.code === 'internal_error' || isBug(error.cause)) {
    logger.error({ err: error, requestId }, error.message)
    return
  }
  const cause = wordsOf(error.cause)
  logger.error({ code: error.code, ...(cause === '' ? {} : { cause }), requestId }, error.message)
}

function isBug(cause: unknown): boolean {
  return cause instanceof TypeError || cause instanceof ReferenceError || cause instanceof RangeError
}

/** Maximum number of nested causes in a line. */
const deepest = 4

function wordsOf(cause: unknown, depth = 1): string {
  if (cause === undefined || cause === null) return ''
  if (!(cause instanceof Error)) return String(cause)
  const { code, message } = cause as NodeJS.ErrnoException
  const named = code === undefined || message.includes(code) ? [message] : [code, message]
  const deeper = depth < deepest ? wordsOf(cause.cause, depth + 1) : ''
  return [...named, deeper].filter((words) => words !== '').join(': ')
}
