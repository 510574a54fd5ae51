import type { ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import { judgeRequest } from './judge-request.ts'

const prompt = { system: 'S', user: 'U' }
const plain: ModelTraits = { provider: 'acme', capabilities: ['chat'], unsupportedParameters: [] }

function settings(traits: Partial<ModelTraits>): object {
  const {
    model: _model,
    messages: _messages,
    ...rest
  } = JSON.parse(judgeRequest('acme/m', prompt, { ...plain, ...traits }))
  return rest
}

it('asks with instructions and data in messages of their own', () => {
  expect(JSON.parse(judgeRequest('acme/m', prompt, plain))).toEqual({
    model: 'acme/m',
    messages: [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
    ],
    max_tokens: 2_048,
    temperature: 0,
  })
})

it.each<[string, Partial<ModelTraits>, object]>([
  ['a model of OpenAI', { provider: 'openai' }, { max_completion_tokens: 2_048, temperature: 0 }],
  [
    'a model that takes no max_tokens',
    { unsupportedParameters: ['max_tokens'] },
    { max_completion_tokens: 2_048, temperature: 0 },
  ],
  [
    'one of OpenAI that takes only those',
    { provider: 'openai', unsupportedParameters: ['max_completion_tokens'] },
    { max_tokens: 2_048, temperature: 0 },
  ],
  ['a model that thinks', { capabilities: ['chat', 'reasoning'] }, { max_tokens: 8_192, temperature: 0 }],
  ['a model with a temperature of its own', { unsupportedParameters: ['temperature'] }, { max_tokens: 2_048 }],
  [
    'a model that writes JSON',
    { capabilities: ['json_object'] },
    { max_tokens: 2_048, temperature: 0, response_format: { type: 'json_object' } },
  ],
  [
    'one that may not be asked to',
    { capabilities: ['json_schema'], unsupportedParameters: ['response_format'] },
    { max_tokens: 2_048, temperature: 0 },
  ],
])('asks %s for what it takes', (_case, traits, expected) => {
  expect(settings(traits)).toEqual(expected)
})

it('asks for the form of a verdict where a model keeps to forms', () => {
  expect(settings({ capabilities: ['json_object', 'json_schema'] })).toMatchObject({
    response_format: {
      type: 'json_schema',
      json_schema: { strict: true, schema: { required: ['explanation', 'verdict'] } },
    },
  })
})
