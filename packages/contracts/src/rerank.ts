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

const Document = z.union([z.string(), z.looseObject({})])

/**
 * The fields of a rerank request that the gateway reads. All other fields are passed to the provider unchanged.
 * Inference checks the body by hand; this value documents it.
 */
export const RerankRequest = z.looseObject({
  model: modelName.nullish().describe('A catalog id such as `cohere/rerank-v3.5`.'),
  models: fallbackModels,
  query: z.string().min(1),
  documents: z
    .array(Document)
    .min(1)
    .max(10_000)
    .describe('Texts, or objects with a `text`, or objects with any of the `rank_fields`.'),
  top_n: z.int().positive().nullish().describe('Maximum number of results; all by default.'),
  return_documents: z.boolean().nullish().describe('When true, each result contains its document.'),
  max_tokens_per_doc: z.int().positive().nullish(),
  rank_fields: z
    .array(z.string().min(1))
    .min(1)
    .max(64)
    .nullish()
    .describe('Different fields of object documents that are ranked, as YAML in this order; `["text"]` by default.'),
})

export const RerankReply = z.looseObject({
  object: z.literal('rerank'),
  id: z.string(),
  model: z.string(),
  results: z
    .array(
      z.looseObject({
        index: z.int().describe('Index of the document in the request.'),
        relevance_score: z.number(),
        document: z.looseObject({}).optional(),
      }),
    )
    .describe('The most relevant first.'),
  usage: z.looseObject({
    total_tokens: z.int().describe('0 when the provider counts searches instead.'),
    search_units: z.int().optional(),
    cost_usd: z.number().describe('Charge for this exchange, USD.'),
  }),
  meta: z.looseObject({
    api_version: z.looseObject({ version: z.string() }),
    billed_units: z.looseObject({ search_units: z.int().optional() }),
  }),
})

const rerank = {
  method: 'post',
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: RerankRequest,
  reply: RerankReply,
  answerHeaders: inferenceAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
} as const

export const createRerank = endpoint({
  ...rerank,
  path: '/v1/rerank',
  summary: 'Rank documents by their relevance to a query.',
  description:
    'In the format that Jina, Together and vLLM share, with the fields of Cohere. `top_n` and `return_documents` work with every provider. Never logged.',
})

export const createRerankV2 = endpoint({
  ...rerank,
  path: '/v2/rerank',
  summary: 'Rank documents, for clients of Cohere.',
  description: 'Same as `POST /v1/rerank`, at the path that the Cohere SDK uses.',
})
