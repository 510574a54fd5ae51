import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { responseFormatRules } from '../common-members.ts'
import { bodyRules, jsonSchemaRules } from './chat-parameters.ts'
import { convertMessages } from './convert-messages.ts'
import { convertReasoning } from './convert-reasoning.ts'
import { convertToolChoice, convertTools } from './convert-tools.ts'
import { withoutThoughts } from './thinking-history.ts'

/**
 * Converts a chat completion request to Anthropic's form.
 *
 * @throws Refusal naming the field that has no equivalent
 */
export function convertRequest({ model, body, stream }: Pick<ProviderRequest, 'model' | 'body' | 'stream'>): Fields {
  checkMembers(body, '', bodyRules)
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? model.maxOutputTokens
  const { system, messages } = convertMessages(body.messages)
  const tools = convertTools(body.tools ?? null)
  const { thinking, effort } = convertReasoning({ model, body, maxTokens, messages })
  const isThinking = thinking === null ? model.capabilities.includes('adaptive_thinking') : thinking.type !== 'disabled'
  const format = convertFormat(body.response_format ?? null)
  const user = body.safety_identifier ?? body.user ?? null
  return {
    model: model.upstreamModel,
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system }),
    messages: isThinking ? messages : withoutThoughts(messages),
    ...(stream ? { stream } : {}),
    ...sampling(body),
    ...(tools.length === 0 ? {} : { tools }),
    ...convertToolChoice(body, tools.length > 0),
    ...(thinking === null ? {} : { thinking }),
    ...(effort === null && format === null
      ? {}
      : { output_config: { ...(effort === null ? {} : { effort }), ...(format === null ? {} : { format }) } }),
    ...(user === null ? {} : { metadata: { user_id: user } }),
  }
}

/** Some models refuse even the default of 1, so it is left out. */
function sampling({ temperature, top_p, top_k, stop }: Body): Fields {
  return {
    ...(isSet(temperature) && temperature !== 1 ? { temperature } : {}),
    ...(isSet(top_p) && top_p !== 1 ? { top_p } : {}),
    ...(isSet(top_k) ? { top_k } : {}),
    ...(isSet(stop) ? { stop_sequences: typeof stop === 'string' ? [stop] : stop } : {}),
  }
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined
}

function convertFormat(value: unknown): Fields | null {
  if (value === null) return null
  const format = asObject(value)
  if (format === null) throw invalid('response_format', 'must be an object')
  checkMembers(format, 'response_format', responseFormatRules)
  if (format.type === 'text') return null
  if (format.type !== 'json_schema') {
    throw unsupported('response_format.type', 'it takes text, or json_schema with a schema')
  }
  const definition = asObject(format.json_schema)
  if (definition === null) throw invalid('response_format.json_schema', 'must be an object')
  checkMembers(definition, 'response_format.json_schema', jsonSchemaRules)
  const schema = asObject(definition.schema)
  if (schema === null) throw invalid('response_format.json_schema.schema', 'must be an object')
  const { description } = definition
  const described = typeof description === 'string' && schema.description === undefined ? { description } : {}
  return { type: 'json_schema', schema: { ...described, ...schema } }
}
