import { z } from 'zod'
import {
  conversationAnswerHeaders,
  conversationId,
  inferenceErrors,
  inferenceRequestHeaders,
  maxInferenceBodyBytes,
} from './calls-model.ts'
import { endpoint } from './endpoint.ts'

/**
 * The fields of a chat request that the gateway reads. All other fields of OpenAI's body are passed to the provider
 * unchanged. Inference checks the body by hand, because it is the hot path; this value documents it.
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
  cost_usd: z.number().describe('Charge for this exchange, USD.'),
})

export const ChatReply = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.int() })),
  usage: Usage,
  conversation_id: conversationId,
})

export const createChatCompletion = endpoint({
  method: 'post',
  path: '/v1/chat/completions',
  summary: 'Create a chat completion.',
  description:
    'The Chat Completions API of OpenAI, streamed (`text/event-stream`) or not. The maximum cost is held before a provider is called, and settled to the real cost before the last byte of the answer is sent. Custom tools, and functions as they were before tools, become function tools for models without them, and their calls are written back.',
  service: 'inference',
  permission: 'any',
  callers: ['judging', 'eval', 'alias', 'training', 'voice'],
  needsPurpose: true,
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: ChatRequest,
  reply: ChatReply,
  streams: true,
  answerHeaders: conversationAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
})
