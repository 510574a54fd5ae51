import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { invalid, Refusal, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { functionRules, namedFunctionRules, toolChoiceRules } from '../common-members.ts'
import { toolRules } from './chat-parameters.ts'
import { convertCacheControl } from './convert-content.ts'

/** @throws Refusal for a tool that is not a function */
export function convertTools(value: unknown): Fields[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw invalid('tools', 'must be an array')
  return value.map((tool, index) => convertTool(tool, `tools.${index}`))
}

function convertTool(value: unknown, path: string): Fields {
  const tool = asObject(value)
  if (tool === null) throw invalid(path, 'must be an object')
  if (tool.type !== 'function') {
    throw new Refusal(`${path}.type`, 'unsupported_tool', `${path}.type must be function for this model.`)
  }
  checkMembers(tool, path, toolRules)
  const place = `${path}.function`
  const definition = asObject(tool.function)
  if (definition === null) throw invalid(place, 'must be an object')
  checkMembers(definition, place, functionRules)
  const { name, description, strict } = definition
  if (typeof name !== 'string') throw invalid(`${place}.name`, 'must be a string')
  const parameters = asObject(definition.parameters ?? {})
  if (parameters === null) throw invalid(`${place}.parameters`, 'must be an object')
  return {
    name,
    ...(description === null || description === undefined ? {} : { description }),
    input_schema: { type: 'object', ...parameters },
    ...(strict === true ? { strict } : {}),
    ...convertCacheControl(tool.cache_control, `${path}.cache_control`),
  }
}

/**
 * Converts `tool_choice` together with `parallel_tool_calls`.
 *
 * @throws Refusal for a choice that Anthropic does not have
 */
export function convertToolChoice(
  { tool_choice: choice, parallel_tool_calls: parallel }: Body,
  hasTools: boolean,
): Fields {
  const requested = choiceOf(choice ?? null)
  if (!hasTools && (requested?.type === 'any' || requested?.type === 'tool'))
    throw invalid('tool_choice', 'needs tools')
  if (!hasTools) return {}
  if (parallel === null || parallel === undefined) return requested === null ? {} : { tool_choice: requested }
  if (typeof parallel !== 'boolean') throw invalid('parallel_tool_calls', 'must be a boolean')
  if (requested?.type === 'none') return { tool_choice: requested }
  return { tool_choice: { ...(requested ?? { type: 'auto' }), disable_parallel_tool_use: !parallel } }
}

function choiceOf(value: unknown): Fields | null {
  if (value === null) return null
  if (value === 'required') return { type: 'any' }
  if (value === 'auto' || value === 'none') return { type: value }
  const choice = asObject(value)
  if (choice === null) throw invalid('tool_choice', 'must be none, auto, required or an object')
  if (choice.type !== 'function') throw unsupported('tool_choice.type', 'a choice among some tools has no equal')
  checkMembers(choice, 'tool_choice', toolChoiceRules)
  const named = asObject(choice.function)
  if (typeof named?.name !== 'string') throw invalid('tool_choice.function.name', 'must be a string')
  checkMembers(named, 'tool_choice.function', namedFunctionRules)
  return { type: 'tool', name: named.name }
}
