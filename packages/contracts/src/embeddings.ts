import { z } from 'zod'
import {
  fallbackModels,
  inferenceAnswerHeaders,
  inferenceErrors,
  inferenceRequestHeaders,
  maxInferenceBodyBytes,
  modelName,
} from './calls-model.ts'
import { endpoint } from './endpoint.ts'

const tokens = z.array(z.int().min(0)).min(1)
/**
 * The fields of an embeddings request that the gateway reads. All other fields of OpenAI's body are passed to the
 * provider unchanged. Inference checks the body by hand; this value documents it.
 */
export const EmbeddingsRequest = z.looseObject({
  model: modelName.nullish().describe('A catalog id such as `openai/text-embedding-3-small`.'),
  models: fallbackModels,
  input: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2_048), tokens, z.array(tokens).min(1).max(2_048)])
    .describe('A text, a list of texts, a list of token ids, or a list of such lists.'),
  encoding_format: z.enum(['float', 'base64']).nullish().describe('`base64` is float32 in little-endian order.'),
  dimensions: z.int().positive().nullish(),
  user: z.string().nullish(),
})

export const EmbeddingsReply = z.looseObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding'),
      index: z.int(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    cost_usd: z.number().describe('Charge for this exchange, USD.'),
  }),
})

export const createEmbedding = endpoint({
  method: 'post',
  path: '/v1/embeddings',
  summary: 'Create embeddings.',
  description:
    'The Embeddings API of OpenAI. The vectors have the requested `encoding_format` (`float` by default), whatever the provider sends. Never logged.',
  service: 'inference',
  permission: 'any',
  callers: ['eval'],
  needsPurpose: true,
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: EmbeddingsRequest,
  reply: EmbeddingsReply,
  answerHeaders: inferenceAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
})
