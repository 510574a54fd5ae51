import { z } from 'zod'
import { inferenceAnswerHeaders, inferenceErrors, inferenceRequestHeaders } from './calls-model.ts'
import { endpoint } from './endpoint.ts'
import type { ErrorEnvelope } from './errors.ts'

const Block = z.looseObject({ type: z.string() })
const Content = z.union([z.string(), z.array(Block)])

/**
 * What the gateway itself reads of a Messages request. The rest of Anthropic's body goes to models of Anthropic as it
 * is, and is translated for all others. Inference checks the body by hand; this value documents it.
 */
const MessagesRequest = z.looseObject({
  model: z.string().min(1).max(256).nullish().describe('A catalog id such as `anthropic/claude-haiku-4-5`.'),
  models: z.array(z.string().min(1).max(256)).min(1).max(8).nullish().describe('Models to fall back to, in order.'),
  max_tokens: z.int().min(0),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: Content })).min(1),
  system: Content.nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.looseObject({})).nullish(),
})

/** Usage as Anthropic spells it: the tokens of the prompt are the sum of the three input counts. */
const MessagesUsage = z.looseObject({
  input_tokens: z.int().describe('Tokens of the prompt that came from no cache and went into none.'),
  cache_creation_input_tokens: z.int().nullish(),
  cache_read_input_tokens: z.int().nullish(),
  output_tokens: z.int(),
  cost_usd: z.number().describe('What this exchange was charged, USD.'),
})

const MessagesReply = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(Block),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: MessagesUsage,
})

export const createMessage = endpoint({
  method: 'post',
  path: '/v1/messages',
  summary: 'Create a message.',
  description:
    "Anthropic's Messages, streamed (`text/event-stream`) or not, for every chat model of the catalog. The key may come as `x-api-key`, as Anthropic's clients send it. Billed as a chat completion is; a stream tells its cost in the usage of the last `message_delta`. An `anthropic-beta` header may name features that change neither the price nor what is kept; a model that does not know them does without.",
  service: 'inference',
  body: MessagesRequest,
  reply: MessagesReply,
  streams: true,
  answerHeaders: inferenceAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: [...inferenceErrors, 'unsupported_tool'],
})

/** The body of an error answer at a path: Anthropic's clients, some of which check it, are told at the top what it is. */
export function errorBodyAt(path: string, envelope: ErrorEnvelope): object {
  return path === createMessage.path ? { type: 'error', ...envelope } : envelope
}
