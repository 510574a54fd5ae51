import type { ErrorCode } from './errors.ts'

/** What every endpoint that calls a model may answer with, beside what all endpoints may. */
export const inferenceErrors: readonly ErrorCode[] = [
  'unsupported_parameter',
  'context_length_exceeded',
  'unknown_provider',
  'insufficient_balance',
  'model_not_found',
  'dedicated_endpoint_not_found',
  'request_timeout',
  'conflict',
  'idempotency_conflict',
  'request_too_large',
  'unsupported_media_type',
  'upstream_error',
]
