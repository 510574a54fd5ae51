import type { Brand } from './brand.ts'
import type { RequestHeader } from './endpoint.ts'
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

/** Headers that such an endpoint reads. */
export const inferenceRequestHeaders: readonly RequestHeader[] = [
  'Idempotency-Key',
  'cache',
  'cacheTtl',
  'log',
  'tag',
  'traceId',
]

/** Headers of its answers. */
export const inferenceAnswerHeaders: readonly (keyof Brand['headers'])[] = [
  'alias',
  'servedModel',
  'fallbackFrom',
  'cache',
  'costUsd',
]
