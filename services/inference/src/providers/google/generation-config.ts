import { asObject } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { responseFormatRules } from '../common-members.ts'
import { jsonSchemaRules } from './chat-parameters.ts'
import { objectAt } from './convert-parts.ts'
import type { ModelTraits } from './model-traits.ts'

/**
 * The generation settings of a request.
 *
 * @throws Refusal for a setting that Google does not have
 */
export function generationConfig(body: Body, traits: ModelTraits): object {
  return {
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    topK: body.top_k ?? undefined,
    stopSequences: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? undefined),
    seed: body.seed ?? undefined,
    presencePenalty: penalty(body.presence_penalty),
    frequencyPenalty: penalty(body.frequency_penalty),
    ...responseFormat(body.response_format),
    thinkingConfig: thinkingConfig(body.reasoning_effort, traits),
    mediaResolution: mediaResolution(body.messages),
  }
}

/** Most models refuse any penalty, so one of 0 is not sent. */
function penalty(value: unknown): unknown {
  return value === null || value === 0 ? undefined : value
}

function responseFormat(value: unknown): object {
  if (value === null || value === undefined) return {}
  const format = objectAt(value, 'response_format')
  checkMembers(format, 'response_format', responseFormatRules)
  switch (format.type) {
    case 'text':
      return {}
    case 'json_object':
      return { responseMimeType: 'application/json' }
    case 'json_schema': {
      const requested = objectAt(format.json_schema, 'response_format.json_schema')
      checkMembers(requested, 'response_format.json_schema', jsonSchemaRules)
      return { responseMimeType: 'application/json', responseJsonSchema: requested.schema ?? undefined }
    }
    default:
      throw unsupported('response_format.type')
  }
}

/**
 * Thinking tokens for each effort, as Google's OpenAI-compatible endpoint sets them
 * (ai.google.dev/gemini-api/docs/openai).
 */
const budgets: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 1_024],
  ['low', 1_024],
  ['medium', 8_192],
  ['high', 24_576],
])

const levels = ['minimal', 'low', 'medium', 'high'] as const

/** The efforts that a model of this generation can be asked for. */
export function effortsOf({ thinking }: ModelTraits): readonly string[] {
  return thinking === 'level' ? levels : [...budgets.keys()]
}

/** A request with an effort gets the thoughts too. Google checks whether the model supports the effort. */
function thinkingConfig(effort: unknown, traits: ModelTraits): object | undefined {
  const { thinking } = traits
  if (effort === null || effort === undefined) return undefined
  const budget = budgets.get(String(effort))
  if (thinking === 'budget' && budget !== undefined) return { thinkingBudget: budget, includeThoughts: budget > 0 }
  if (thinking === 'level' && levels.some((level) => level === effort))
    return { thinkingLevel: effort, includeThoughts: true }
  throw unsupported('reasoning_effort', `this model has ${effortsOf(traits).join(', ')}`)
}

const resolutions: ReadonlyMap<unknown, string | undefined> = new Map([
  ['auto', undefined],
  ['low', 'MEDIA_RESOLUTION_LOW'],
  ['high', 'MEDIA_RESOLUTION_HIGH'],
])

/** Google has one resolution for the whole prompt. */
function mediaResolution(messages: unknown): string | undefined {
  const details = Array.isArray(messages) ? messages.flatMap(imageDetails) : []
  const [first] = details
  if (first === undefined) return undefined
  const other = details.find(({ detail }) => detail !== first.detail)
  if (other !== undefined) throw unsupported(other.path, 'Google has one for all images')
  if (!resolutions.has(first.detail)) throw unsupported(first.path)
  return resolutions.get(first.detail)
}

interface ImageDetail {
  readonly path: string
  readonly detail: unknown
}

function imageDetails(message: unknown, index: number): ImageDetail[] {
  const content = asObject(message)?.content
  if (!Array.isArray(content)) return []
  return content.flatMap((part, at) => {
    const image = asObject(part)?.image_url
    if (image === undefined) return []
    return [{ path: `messages.${index}.content.${at}.image_url.detail`, detail: asObject(image)?.detail ?? 'auto' }]
  })
}
