import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { ProviderRequest } from '../../wire/provider.ts'
import { invalid, Refusal, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { responseFormatRules } from '../common-members.ts'
import { takesCachePoints } from './cache-point.ts'
import { bodyRules, jsonSchemaRules } from './chat-parameters.ts'
import type { ConverseBody, InferenceConfig, TextFormat } from './converse-body.ts'
import { convertMessages } from './convert-messages.ts'
import { convertTools } from './convert-tools.ts'
import { reasoningFields } from './reasoning-fields.ts'
import { signsReasoning, withoutReasoning } from './signed-reasoning.ts'

export type Conversion =
  | { readonly ok: true; readonly body: ConverseBody }
  | { readonly ok: false; readonly refusal: Refusal }

/** Converts a chat completion request to Converse's form, or names the part that has no equivalent. Never throws. */
export function convertRequest(request: Pick<ProviderRequest, 'body' | 'model'>): Conversion {
  try {
    return { ok: true, body: converted(request) }
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, refusal: error }
    throw error
  }
}

function converted({ body, model }: Pick<ProviderRequest, 'body' | 'model'>): ConverseBody {
  checkMembers(body, '', bodyRules)
  const caches = takesCachePoints(model.upstreamModel)
  const reasoning = reasoningFields(model.upstreamModel, body.reasoning_effort)
  const { system, messages: said } = convertMessages(body.messages, caches)
  const isThinking = signsReasoning(model.upstreamModel) && asObject(reasoning?.thinking)?.type !== 'disabled'
  const messages = isThinking ? said : withoutReasoning(said)
  const inference = convertInference(body)
  const toolConfig = convertTools(body, { messages, caches })
  const textFormat = convertFormat(body.response_format)
  return {
    messages,
    ...(system.length === 0 ? {} : { system }),
    ...(Object.keys(inference).length === 0 ? {} : { inferenceConfig: inference }),
    ...(toolConfig === null ? {} : { toolConfig }),
    ...(textFormat === null ? {} : { outputConfig: { textFormat } }),
    ...(reasoning === null ? {} : { additionalModelRequestFields: reasoning }),
  }
}

function convertInference({ temperature, top_p: topP, stop, ...body }: Fields): InferenceConfig {
  const maxTokens = Math.max(tokensAt(body, 'max_tokens'), tokensAt(body, 'max_completion_tokens'))
  const stops = typeof stop === 'string' ? [stop] : (stop ?? [])
  if (!Array.isArray(stops)) throw invalid('stop', 'must be a string or an array of strings')
  return {
    ...(maxTokens === 0 ? {} : { maxTokens }),
    ...(temperature === undefined || temperature === null ? {} : { temperature }),
    ...(topP === undefined || topP === null ? {} : { topP }),
    ...(stops.length === 0 ? {} : { stopSequences: stops }),
  }
}

function tokensAt(body: Fields, name: string): number {
  const tokens = body[name] ?? 0
  if (typeof tokens !== 'number') throw invalid(name, 'must be a number')
  return tokens
}

function convertFormat(value: unknown): TextFormat | null {
  if (value === undefined || value === null) return null
  const format = asObject(value)
  if (format === null) throw invalid('response_format', 'must be an object')
  if (format.type === 'text') return null
  if (format.type !== 'json_schema') throw unsupported('response_format.type', 'it must be text or json_schema')
  checkMembers(format, 'response_format', responseFormatRules)
  const named = asObject(format.json_schema)
  if (named === null) throw invalid('response_format.json_schema', 'must be an object')
  checkMembers(named, 'response_format.json_schema', jsonSchemaRules)
  if (asObject(named.schema) === null) throw invalid('response_format.json_schema.schema', 'must be an object')
  const { name, description } = named
  const jsonSchema = {
    schema: JSON.stringify(named.schema),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  }
  return { type: 'json_schema', structure: { jsonSchema } }
}
