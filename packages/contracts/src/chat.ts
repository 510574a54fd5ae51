import { z } from 'zod'
import { inferenceAnswerHeaders, inferenceErrors, inferenceRequestHeaders } from './calls-model.ts'
import { endpoint } from './endpoint.ts'

/**
 * What the gateway itself reads of a chat request. Everything else of OpenAI's body passes to the
 * provider as it is. Inference checks the body by hand (it is the hot path); this value documents it.
 */
export const ChatRequest = z.looseObject({
  model: z.string().min(1).max(256).describe('A catalog id such as `openai/gpt-4o-mini`.'),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  n: z.int().min(1).max(128).nullish(),
})

export const Usage = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  cost_usd: z.number().describe('What this exchange was charged, USD.'),
})

const ChatReply = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.int() })),
  usage: Usage,
})

export const createChatCompletion = endpoint({
  method: 'post',
  path: '/v1/chat/completions',
  summary: 'Create a chat completion.',
  description:
    "OpenAI's Chat Completions, streamed (`text/event-stream`) or not. A hold for the worst case is taken before a provider is called and settled to the real cost before the last byte of the answer.",
  service: 'inference',
  body: ChatRequest,
  reply: ChatReply,
  streams: true,
  answerHeaders: inferenceAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
})
