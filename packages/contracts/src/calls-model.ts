import { z } from 'zod'
import type { Brand } from './brand.ts'
import { mebibyte } from './byte-sizes.ts'
import type { RequestHeader } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'

/** The errors of every endpoint that calls a model, in addition to those of all endpoints. */
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
  'endpoint_starting',
  'no_capacity',
]

/** Maximum bytes of the body of such an endpoint. */
export const maxInferenceBodyBytes = 10 * mebibyte

/** The headers that such an endpoint reads. */
export const inferenceRequestHeaders: readonly RequestHeader[] = [
  'Idempotency-Key',
  'cache',
  'cacheTtl',
  'log',
  'maxWait',
  'metadata',
  'session',
  'strict',
  'tag',
  'traceId',
  'user',
]

/** The headers of its answers. */
export const inferenceAnswerHeaders: readonly (keyof Brand['headers'])[] = [
  'alias',
  'servedModel',
  'fallbackFrom',
  'dropped',
  'cache',
  'logged',
  'costUsd',
]

/** The headers of an answer that continues a conversation. */
export const conversationAnswerHeaders: typeof inferenceAnswerHeaders = [...inferenceAnswerHeaders, 'session']

/** In the answer of each endpoint that continues a conversation. */
export const conversationId = z
  .string()
  .optional()
  .describe('The session that the request named; in a stream, on the event that states the cost.')
