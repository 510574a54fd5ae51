import { z } from 'zod'
import {
  conversationAnswerHeaders,
  conversationId,
  fallbackModels,
  inferenceErrors,
  inferenceRequestHeaders,
  maxInferenceBodyBytes,
} from './calls-model.ts'
import { endpoint } from './endpoint.ts'
import { ErrorEnvelope } from './errors.ts'
import { GeminiError, geminiError, isGeminiPath } from './gemini-errors.ts'

const Block = z.looseObject({ type: z.string() })
const Content = z.union([z.string(), z.array(Block)])

/**
 * The fields of a Messages request that the gateway reads. All other fields of Anthropic's body are passed unchanged to
 * models of Anthropic, and translated for other models. Inference checks the body by hand; this value documents it.
 */
export const MessagesRequest = z.looseObject({
  model: z.string().min(1).max(256).nullish().describe('A catalog id such as `anthropic/claude-haiku-4-5`.'),
  models: fallbackModels,
  max_tokens: z.int().min(0),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: Content })).min(1),
  system: Content.nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.looseObject({})).nullish(),
})

/** Usage in Anthropic's fields: the tokens of the prompt are the sum of the three input counts. */
const MessagesUsage = z.looseObject({
  input_tokens: z.int().describe('Tokens of the prompt that were neither read from nor written to a cache.'),
  cache_creation_input_tokens: z.int().nullish(),
  cache_read_input_tokens: z.int().nullish(),
  output_tokens: z.int(),
  cost_usd: z.number().describe('Charge for this exchange, USD.'),
})

export const MessagesReply = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(Block),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: MessagesUsage,
  conversation_id: conversationId,
})

export const createMessage = endpoint({
  method: 'post',
  path: '/v1/messages',
  summary: 'Create a message.',
  description:
    "The Messages API of Anthropic, streamed (`text/event-stream`) or not, for every chat model of the catalog. The API key may be sent as `x-api-key`, like Anthropic's clients do. Charged like a chat completion; a stream states its cost in the usage of the last `message_delta`. Features that an `anthropic-beta` header names are passed on to Anthropic when they change neither the price nor what is stored; others are left out. Caches of an hour are charged at their own price. Tools that Anthropic would run itself are left out unless the model must call them.",
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: MessagesRequest,
  reply: MessagesReply,
  streams: true,
  answerHeaders: conversationAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: [...inferenceErrors, 'unsupported_tool'],
})

/** An error answer in the format of Anthropic. */
export const MessagesError = z.object({ type: z.literal('error'), ...ErrorEnvelope.shape })

/**
 * The body of an error answer at a path. Anthropic's clients expect its type at the top level, and some of them check
 * it; Google's clients read the status from it.
 */
export function errorBodyAt(path: string, envelope: ErrorEnvelope): object {
  if (isGeminiPath(path)) return geminiError(envelope)
  return isMessages(path) ? { type: 'error', ...envelope } : envelope
}

/** The schema of what {@link errorBodyAt} returns. */
export function errorSchemaAt(path: string): z.ZodType {
  if (isGeminiPath(path)) return GeminiError
  return isMessages(path) ? MessagesError : ErrorEnvelope
}

function isMessages(path: string): boolean {
  return path === createMessage.path || path.startsWith(`${createMessage.path}/`)
}
