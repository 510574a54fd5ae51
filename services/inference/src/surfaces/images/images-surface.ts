import type { Body } from '../../wire/dialect.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import type { Usage } from '../../wire/usage.ts'
import { checkFields, type FieldRule, isText, optional } from '../check-fields.ts'
import { finishWithCounts } from '../finish-with-counts.ts'
import type { RequestFacts, Surface } from '../surface.ts'

/** With OpenAI. */
const maxImages = 10

/** The Images API of OpenAI. */
export const imagesSurface: Surface = {
  dialect: 'images',
  serves: 'image',
  readFacts,
  unsupportedParameter,
  finishReply: (reply, charged) => finishWithCounts(reply, charged, imagesUsage),
  stream: null,
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}

function readFacts(body: Body): RequestFacts {
  const { requestedModel, fallbackModels } = checkFields(body, rules)
  const n = Number(body.n ?? 1)
  const prompt = { items: n, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }
  const units = { most: n, usual: n }
  return {
    requestedModel,
    fallbackModels,
    stream: false,
    includeUsage: false,
    n,
    maxTokens: null,
    searches: 0,
    units,
    prompt,
  }
}

const rules: readonly FieldRule[] = [
  { param: 'prompt', accepts: isText, demand: 'must be a non-empty string' },
  {
    param: 'n',
    accepts: optional((value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxImages),
    demand: `must be an integer from 1 to ${maxImages}`,
  },
  { param: 'stream', accepts: optional((value) => value === false), demand: 'must be false: images are not streamed' },
  {
    param: 'partial_images',
    accepts: optional((value) => value === 0),
    demand: 'must be 0: images are not streamed',
  },
]

function imagesUsage({ promptTokens, completionTokens }: Usage) {
  return { input_tokens: promptTokens, output_tokens: completionTokens, total_tokens: promptTokens + completionTokens }
}
