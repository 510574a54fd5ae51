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

/** The fields of a moderation that the gateway reads. Inference checks the body by hand; this value documents it. */
export const ModerationRequest = z.looseObject({
  model: modelName.nullish().describe('A catalog id; `omni-moderation-latest` when it is not given, as with OpenAI.'),
  models: fallbackModels,
  input: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2_048), z.array(z.looseObject({})).min(1).max(64)])
    .describe('A text, a list of texts, or the parts of one content: `text` and `image_url`.'),
})

export const ModerationReply = z.looseObject({
  id: z.string(),
  model: z.string(),
  results: z.array(
    z.looseObject({
      flagged: z.boolean(),
      categories: z.looseObject({}),
      category_scores: z.looseObject({}),
    }),
  ),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    total_tokens: z.int(),
    cost_usd: z.number().describe('Charge for this exchange, USD; 0 for a model that is free.'),
  }),
})

export const createModeration = endpoint({
  method: 'post',
  path: '/v1/moderations',
  summary: 'Classify texts and images by whether they are harmful.',
  description:
    "The Moderations API of OpenAI, for models of OpenAI, Mistral and others. Its cost is the model's price of a prompt, which is 0 for OpenAI's. Never logged.",
  service: 'inference',
  permission: 'any',
  callers: ['eval'],
  needsPurpose: true,
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: ModerationRequest,
  reply: ModerationReply,
  answerHeaders: inferenceAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
})
