import { z } from 'zod'
import { maxInferenceBodyBytes } from './calls-model.ts'
import { endpoint } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'
import { listOf } from './list-of.ts'

const errors: readonly ErrorCode[] = [
  'model_not_found',
  'unknown_provider',
  'dedicated_endpoint_not_found',
  'request_too_large',
  'unsupported_media_type',
  'rate_limit_exceeded',
]

const counted =
  'Counted by the tokenizer of the model, or by a similar one where the provider publishes none, without calling the provider. Images and files count as a thousand tokens each, and long prompts are estimated by their bytes. Free of charge.'

const model = z.string().min(1).max(256).describe('A catalog id or an alias.')

export const countMessageTokens = endpoint({
  method: 'post',
  path: '/v1/messages/count_tokens',
  summary: 'Count the tokens of a message.',
  description: `The tokens of the prompt of a Messages request, as Anthropic's clients ask for it. ${counted}`,
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: z.looseObject({
    model,
    messages: listOf(z.looseObject({})).min(1),
    system: z.union([z.string(), listOf(z.looseObject({}))]).nullish(),
    tools: listOf(z.looseObject({})).nullish(),
  }),
  reply: z.object({ input_tokens: z.int() }),
  errors,
})

export const countResponseTokens = endpoint({
  method: 'post',
  path: '/v1/responses/input_tokens',
  summary: 'Count the tokens of the input of a response.',
  description: `The tokens of the prompt of a Responses request. Earlier responses that it names are not counted. ${counted}`,
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: z.looseObject({
    model,
    input: z.union([z.string(), listOf(z.looseObject({}))]).nullish(),
    instructions: z.string().nullish(),
    tools: listOf(z.looseObject({})).nullish(),
  }),
  reply: z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() }),
  errors,
})
