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

/** The name of a model or an alias. */
export const modelName = z.string().min(1).max(256)

/** Models that are called in their order when the first one fails. */
export const fallbackModels = z.array(modelName).min(1).max(8).nullish().describe('Fallback models, in order.')

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
