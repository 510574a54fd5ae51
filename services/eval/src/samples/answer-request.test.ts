import type { CreateEval } from '@ratchet/contracts/evals'
import type { ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import { question } from '../runs/eval.fixture.ts'
import { answerRequest } from './answer-sample.ts'
import type { EvalPrompt } from './sample.ts'

const prompt: EvalPrompt = { messages: [question('2 + 2?')], tools: null, responseFormat: null }
const plain: ModelTraits = { provider: 'sim', capabilities: ['chat'], unsupportedParameters: [] }
const tool = { type: 'function', function: { name: 'add' } }
const form = { type: 'json_object' }

interface Case {
  readonly prompt?: Partial<EvalPrompt>
  readonly params?: CreateEval['params']
  readonly traits?: Partial<ModelTraits>
}

function requestOf({ prompt: of = {}, params = {}, traits = {} }: Case): unknown {
  return JSON.parse(answerRequest('sim/large', { ...prompt, ...of }, { params, traits: { ...plain, ...traits } }))
}

it.each<[string, Case, object]>([
  ['the messages and nothing else', {}, {}],
  ['the tools that were offered', { prompt: { tools: [tool] } }, { tools: [tool] }],
  ['no tools where none were', { prompt: { tools: [] } }, {}],
  ['the requested response format', { prompt: { responseFormat: form } }, { response_format: form }],
  ['no response format when the entry has none', { prompt: { responseFormat: undefined } }, {}],
  ['a temperature, 0 too', { params: { temperature: 0 } }, { temperature: 0 }],
  ['the maximum tokens', { params: { max_tokens: 7 } }, { max_tokens: 7 }],
  [
    'the maximum tokens by the name of the provider',
    { params: { max_tokens: 7 }, traits: { provider: 'openai' } },
    { max_completion_tokens: 7 },
  ],
  [
    'the maximum tokens by the name that the model supports',
    { params: { max_tokens: 7 }, traits: { unsupportedParameters: ['max_tokens'] } },
    { max_completion_tokens: 7 },
  ],
])('contains %s', (_case, given, more) => {
  expect(requestOf(given)).toEqual({ model: 'sim/large', messages: prompt.messages, ...more })
})

it('keeps messages unchanged, with unknown members', () => {
  const messages = [
    { role: 'system', content: [{ type: 'text', text: 'ü' }] },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }], anything: 1 },
    { role: 'tool', tool_call_id: 'c1', content: '4' },
  ]
  expect(requestOf({ prompt: { messages } })).toEqual({ model: 'sim/large', messages })
})

it('is the same text for the same sample, because the idempotency key is made from it', () => {
  const build = () => answerRequest('sim/large', prompt, { params: { temperature: 1, max_tokens: 5 }, traits: plain })
  expect(build()).toBe(build())
})
