import { z } from 'zod'
import {
  conversationAnswerHeaders,
  conversationId,
  inferenceErrors,
  inferenceRequestHeaders,
  maxInferenceBodyBytes,
} from './calls-model.ts'
import { endpoint } from './endpoint.ts'
import { wholeNumber } from './query-values.ts'

/** The fields of a Responses body that the gateway reads. Inference checks it by hand; this value documents it. */
export const ResponsesRequest = z.looseObject({
  model: z.string().min(1).max(256).optional().describe('A catalog id; may be left out when `models` is given.'),
  models: z.array(z.string()).min(1).max(8).nullish().describe('Fallback models, in order.'),
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional() })).min(1)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  stream: z.boolean().nullish(),
  generate: z
    .boolean()
    .nullish()
    .describe('False: no model answers, and nothing is charged. Returns a response without output, to be continued.'),
  store: z.boolean().nullish().describe('True by default. Has no effect while the workspace does not log.'),
  previous_response_id: z
    .string()
    .nullish()
    .describe('A stored response of the workspace that this request continues.'),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .nullish()
    .describe(
      'Functions and custom tools. Tools that a provider would run itself are left out, unless the model must call them.',
    ),
})

/** The response object of OpenAI; `created_at` is in Unix seconds. */
export const ResponseObject = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number(),
  status: z.enum(['completed', 'incomplete', 'failed', 'in_progress', 'queued', 'cancelled']),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: z
    .looseObject({
      input_tokens: z.int(),
      output_tokens: z.int(),
      total_tokens: z.int(),
      cost_usd: z.number().describe('Charge for this exchange, USD.'),
    })
    .nullish(),
  conversation_id: conversationId,
})

/** One of the input items of a response. */
export const ResponseInputItem = z.looseObject({ type: z.string(), id: z.string() })

const params = z.object({ id: z.string() })

/** Lists in a query, as the OpenAI SDKs write them (`include[]=a`) and as other clients do. */
const include = { include: z.union([z.string(), z.array(z.string())]).optional() }
const bracketed = { 'include[]': include.include }

export const createResponse = endpoint({
  method: 'post',
  path: '/v1/responses',
  summary: 'Create a response.',
  description:
    'The Responses API of OpenAI, streamed as typed events or not, for every chat model. Chains (`previous_response_id`) are stored by the gateway for 30 days, count towards the storage quota of the workspace, and work across providers. Beyond the quota, an answer is delivered and not stored, and a response without one (`generate: false`) is refused. Custom tools become functions for models without them. Tools that a provider would run itself are left out, unless the model must call them, and `background` is answered in the foreground. Conversations, prompt templates and stored files are refused. A WebSocket may be opened at the same URL; each `response.create` on it is such a request, streamed.',
  service: 'inference',
  permission: 'any',
  callers: ['eval'],
  needsPurpose: true,
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: ResponsesRequest,
  reply: ResponseObject,
  streams: true,
  answerHeaders: [...conversationAnswerHeaders, 'store'],
  requestHeaders: inferenceRequestHeaders,
  errors: [...inferenceErrors, 'unsupported_tool', 'previous_response_not_found', 'quota_exceeded'],
})

export const getResponse = endpoint({
  method: 'get',
  path: '/v1/responses/:id',
  summary: 'Read a stored response.',
  description:
    'Returns it as it was answered, including its cost. All data that `include` can name is included if it exists. A stored response cannot be streamed.',
  service: 'inference',
  permission: 'any',
  params,
  query: z.strictObject({
    ...include,
    ...bracketed,
    stream: z.enum(['true', 'false']).optional(),
    starting_after: z.string().optional(),
    include_obfuscation: z.string().optional(),
  }),
  reply: ResponseObject,
  errors: ['not_found', 'unknown_parameter', 'unsupported_parameter'],
})

export const deleteResponse = endpoint({
  method: 'delete',
  path: '/v1/responses/:id',
  summary: 'Delete a stored response.',
  description: 'Deletes it at once and permanently. Later responses of its chain can still be read, but not continued.',
  service: 'inference',
  permission: 'any',
  params,
  reply: z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
  errors: ['not_found', 'unknown_parameter'],
})

export const cancelResponse = endpoint({
  method: 'post',
  path: '/v1/responses/:id/cancel',
  summary: 'Cancel a background response.',
  description:
    'The gateway runs no responses in the background, so nothing can be cancelled: an existing response is answered with 400.',
  service: 'inference',
  permission: 'any',
  params,
  reply: ResponseObject,
  errors: ['not_found', 'unknown_parameter'],
})

export const listInputItems = endpoint({
  method: 'get',
  path: '/v1/responses/:id/input_items',
  summary: 'List the input items of a stored response.',
  description: 'The items of its own request, newest first. Earlier items belong to `previous_response_id`.',
  service: 'inference',
  permission: 'any',
  params,
  query: z.strictObject({
    ...include,
    ...bracketed,
    limit: wholeNumber({ min: 1, max: 100 }).default(20),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: z.string().optional().describe('The id of the last item of the previous page.'),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(ResponseInputItem),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  }),
  errors: ['not_found', 'unknown_parameter'],
})

export const compactResponse = endpoint({
  method: 'post',
  path: '/v1/responses/compact',
  summary: 'Compact a conversation.',
  description:
    'Returns fewer items that stand for the conversation so far, to be sent in place of it. Models of OpenAI compact it themselves; any other model writes a summary, which every model can read. Charged as an answer of the model. Nothing is stored.',
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: z.looseObject({
    model: z.string().min(1).max(256).describe('A catalog id or an alias.'),
    input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional() })).min(1)]),
    instructions: z.string().nullish(),
    previous_response_id: z.string().nullish(),
  }),
  reply: z.looseObject({
    id: z.string(),
    object: z.literal('response.compaction'),
    created_at: z.number(),
    output: z.array(z.looseObject({ type: z.string() })),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), cost_usd: z.number() }).nullish(),
  }),
  answerHeaders: [...conversationAnswerHeaders, 'store'],
  requestHeaders: inferenceRequestHeaders,
  errors: [...inferenceErrors, 'unsupported_tool', 'previous_response_not_found'],
})
