import type { GrpoRollout } from '@ratchet/contracts/grpo-protocol'
import { simArguments, withToolCall } from './sim-tool-call.ts'

const messages = [{ role: 'user', content: 'Rome?' }]
const toolOf = (parameters: Record<string, unknown>) => ({
  type: 'function' as const,
  function: { name: 'weather', description: 'Weather.', parameters },
})

it('has a value for each required argument', () => {
  const properties = { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['C', 'F'] }, more: {} }
  const required = ['city', 'days', 'unit', 'other']
  const made = simArguments(toolOf({ type: 'object', properties, required }), { messages })
  expect(made).toEqual({ city: 'Rome?', days: 1, unit: 'C', other: 'Rome?' })
  expect(simArguments(toolOf({}), { messages })).toEqual({})
})

it('puts the call before the answer, with tokens that the policy did not sample', () => {
  const answer = { role: 'assistant', content: 'Sunny.' }
  const rollout = { completion: [answer], token_ids: [1, 2], logprobs: [-1, -1], token_mask: null, sampled_tokens: 2 }
  const called = withToolCall(rollout as unknown as GrpoRollout, { name: 'weather', arguments: '{}', result: '21' })
  expect(called.completion.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
  expect(called.token_mask?.filter((sampled) => sampled === 1)).toHaveLength(2)
  expect([called.token_ids.length, called.logprobs.length]).toEqual([10, 10])
})
