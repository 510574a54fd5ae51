import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { isAbsent, isObject } from '@ratchet/service-kit/values/json'
import type { PromptShape } from '../../pricing/prompt-shape.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { Body } from '../../wire/dialect.ts'
import { embeddingsUsage } from '../../wire/embeddings/write-embeddings.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import { checkFields, type FieldRule, fieldFault, isText } from '../check-fields.ts'
import { finishWithCounts } from '../finish-with-counts.ts'
import type { RequestFacts, Surface } from '../surface.ts'

/** The model of a request that names none, as with OpenAI. */
const usualModel = 'omni-moderation-latest'
const maxInputs = 2_048

/** The Moderations API of OpenAI. */
export const moderationsSurface: Surface = {
  dialect: 'moderations',
  serves: 'moderation',
  readFacts,
  unsupportedParameter,
  finishReply(reply, charged, { request }) {
    const whole = finishWithCounts(reply, charged, embeddingsUsage)
    const read = readObject(whole)
    if (read === null || (typeof read.body.id === 'string' && typeof read.body.model === 'string')) return whole
    const names = { id: JSON.stringify(`modr-${request.requestId}`), model: JSON.stringify(request.model.id) }
    return editTopLevel(whole, read.scan, names)
  },
  stream: null,
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}

function readFacts(body: Body): RequestFacts {
  const isNamed = !isAbsent(body.model) || !isAbsent(body.models)
  const { requestedModel, fallbackModels } = checkFields(isNamed ? body : { ...body, model: usualModel }, rules)
  const prompt = shapeOf(body.input)
  return { requestedModel, fallbackModels, stream: false, includeUsage: false, n: 1, maxTokens: 0, searches: 0, prompt }
}

const rules: readonly FieldRule[] = [
  {
    param: 'input',
    accepts: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.length <= maxInputs),
    demand: `must be a non-empty string or an array of 1 to ${maxInputs} texts or parts`,
  },
]

function shapeOf(input: unknown): PromptShape {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input]
  let mediaParts = 0
  let mediaLength = 0
  for (const [index, item] of items.entries()) {
    if (isText(item)) continue
    if (!isObject(item)) throw fault(`input.${index}`, 'must be a non-empty string or a part')
    if (item.type === 'text' && isText(item.text)) continue
    const url = item.type === 'image_url' && isObject(item.image_url) ? item.image_url.url : null
    if (!isText(url)) throw fault(`input.${index}`, 'must be a part with a text or with an image_url')
    mediaParts += 1
    mediaLength += url.length
  }
  return { items: items.length, tools: 0, mediaParts, mediaLength, unbounded: false }
}

function fault(param: string, demand: string) {
  return fieldFault({ param, demand }, null)
}
