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

/** The fields of an image request that the gateway reads. Inference checks the body by hand; this value documents it. */
export const ImageRequest = z.looseObject({
  model: modelName.nullish().describe('A catalog id such as `openai/gpt-image-1`.'),
  models: fallbackModels,
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).nullish().describe('Number of images; 1 when it is not given.'),
  stream: z.literal(false).nullish(),
})

export const ImageReply = z.looseObject({
  created: z.int().optional(),
  data: z.array(z.looseObject({ b64_json: z.string().optional(), url: z.string().optional() })),
  usage: z.looseObject({
    input_tokens: z.int(),
    output_tokens: z.int(),
    total_tokens: z.int(),
    cost_usd: z.number().describe('Charge for this exchange, USD.'),
  }),
})

export const createImage = endpoint({
  method: 'post',
  path: '/v1/images/generations',
  summary: 'Generate images.',
  description:
    'The Images API of OpenAI: models that are priced by the tokens of prompt and images, and models that are priced per image. The hold is that of the largest images. Parts of an image are not streamed, so `stream` and `partial_images` are refused. Never logged.',
  service: 'inference',
  permission: 'any',
  maxBodyBytes: maxInferenceBodyBytes,
  maxGzippedBytes: maxInferenceBodyBytes,
  body: ImageRequest,
  reply: ImageReply,
  answerHeaders: inferenceAnswerHeaders,
  requestHeaders: inferenceRequestHeaders,
  errors: inferenceErrors,
})
