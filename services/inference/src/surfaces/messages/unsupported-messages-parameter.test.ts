import { modelOf } from '../../catalog/catalog.fixture.ts'
import type { Body } from '../../wire/dialect.ts'
import { unsupportedMessagesParameter } from './unsupported-messages-parameter.ts'

const schema = { type: 'json_schema', schema: {} }

it.each<[string, Body, string]>([
  ['temperature', { temperature: 0.5 }, 'temperature'],
  ['top_k', { top_k: 5 }, 'top_k'],
  ['stop', { stop_sequences: ['END'] }, 'stop_sequences'],
  ['tools', { tools: [{ name: 'now' }] }, 'tools'],
  ['tool_choice', { tool_choice: { type: 'any' } }, 'tool_choice'],
  [
    'parallel_tool_calls',
    { tool_choice: { disable_parallel_tool_use: true } },
    'tool_choice.disable_parallel_tool_use',
  ],
  ['reasoning_effort', { thinking: { type: 'enabled', budget_tokens: 1_024 } }, 'thinking'],
  ['reasoning_effort', { output_config: { effort: 'low' } }, 'output_config.effort'],
  ['response_format', { output_config: { format: schema } }, 'output_config.format'],
  ['user', { metadata: { user_id: 'u' } }, 'metadata.user_id'],
  ['service_tier', { service_tier: 'priority' }, 'service_tier'],
])('finds what the catalog calls %s in %j', (name, body, path) => {
  expect(unsupportedMessagesParameter(modelOf({ unsupported_parameters: ['seed', name] }), body)).toBe(path)
  expect(unsupportedMessagesParameter(modelOf(), body)).toBeNull()
})

it('accepts the token limit, which every model has under some name, and metadata, which means something else here', () => {
  const model = modelOf({ unsupported_parameters: ['max_tokens', 'max_completion_tokens', 'metadata'] })
  expect(unsupportedMessagesParameter(model, { max_tokens: 5, metadata: { user_id: 'u' } })).toBeNull()
})

it('accepts defaults', () => {
  const names = ['temperature', 'stop', 'reasoning_effort', 'response_format', 'parallel_tool_calls', 'service_tier']
  const model = modelOf({ unsupported_parameters: names })
  const body = {
    temperature: 1,
    stop_sequences: [],
    thinking: { type: 'disabled' },
    output_config: { format: null },
    tool_choice: { type: 'auto', disable_parallel_tool_use: false },
    service_tier: 'standard_only',
  }
  expect(unsupportedMessagesParameter(model, body)).toBeNull()
})
