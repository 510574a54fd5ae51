import { z } from 'zod'
import {
  conversationAnswerHeaders,
  inferenceErrors,
  inferenceRequestHeaders,
  maxInferenceBodyBytes,
} from './calls-model.ts'
import { Usage } from './chat.ts'
import { endpoint } from './endpoint.ts'

/** The fields of a text completion that the gateway reads. Inference checks it by hand; this value documents it. */
const CompletionRequest = z.looseObject({
  model: z.string().min(1).max(256).describe('A catalog id or an alias.'),
  prompt: z.union([z.string(), z.array(z.string()).length(1)]),
  max_tokens: z.int().positive().nullish().describe('16 when it is not given, as with OpenAI.'),
  stream: z.boolean().nullish(),
  n: z.int().min(1).max(128).nullish(),
})

const CompletionReply = z.looseObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.int(), text: z.string() })),
  usage: Usage,
})

export const createCompletion = endpoint({
  method: 'post',
  path: '/v1/completions',
  summary: 'Create a text completion.',
  description:
    "OpenAI's older API, for clients that still use it. The prompt is sent to a chat model as the message of a user, so the answer is a reply rather than a continuation, and everything else applies as for chat completions: prices, limits, streams, the log. `suffix`, `echo`, `best_of`, `logprobs` and prompts of token ids are refused.",
  service: 'inference',
  permission: 'any',
  callers: ['eval'],
  needsPurpose: true,
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: CompletionRequest,
  reply: CompletionReply,
  streams: true,
  answerHeaders: conversationAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
})
