import { type ChoiceFormat, choiceRequest } from './judge-choice.ts'
import type { ModelTraits } from './structured-request.ts'

const format: ChoiceFormat<string> = {
  name: 'colour',
  field: 'best',
  words: new Map([
    ['RED', 'red'],
    ['BLUE', 'blue'],
  ]),
}

const question = { model: 'acme/m', prompt: { system: 'S', user: 'U' }, format }
const plain: ModelTraits = { provider: 'acme', capabilities: ['chat'], unsupportedParameters: [] }

function settings(traits: Partial<ModelTraits>): object {
  const { model: _model, messages: _messages, ...rest } = JSON.parse(choiceRequest(question, { ...plain, ...traits }))
  return rest
}

it('uses temperature 0, with instructions and data in separate messages', () => {
  expect(JSON.parse(choiceRequest(question, plain))).toEqual({
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
    'a model without max_tokens',
    { unsupportedParameters: ['max_tokens'] },
    { max_completion_tokens: 2_048, temperature: 0 },
  ],
  [
    'a model of OpenAI with only max_tokens',
    { provider: 'openai', unsupportedParameters: ['max_completion_tokens'] },
    { max_tokens: 2_048, temperature: 0 },
  ],
  ['a reasoning model', { capabilities: ['chat', 'reasoning'] }, { max_tokens: 8_192, temperature: 0 }],
  ['a model with a fixed temperature', { unsupportedParameters: ['temperature'] }, { max_tokens: 2_048 }],
  [
    'a model with JSON mode',
    { capabilities: ['json_object'] },
    { max_tokens: 2_048, temperature: 0, response_format: { type: 'json_object' } },
  ],
  [
    'a model without response_format',
    { capabilities: ['json_schema'], unsupportedParameters: ['response_format'] },
    { max_tokens: 2_048, temperature: 0 },
  ],
])('sends %s only parameters that it supports', (_case, traits, expected) => {
  expect(settings(traits)).toEqual(expected)
})

it('requests a JSON schema when the model supports it', () => {
  expect(settings({ capabilities: ['json_object', 'json_schema'] })).toMatchObject({
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'colour',
        strict: true,
        schema: {
          type: 'object',
          properties: { explanation: { type: 'string' }, best: { type: 'string', enum: ['RED', 'BLUE'] } },
          required: ['explanation', 'best'],
          additionalProperties: false,
        },
      },
    },
  })
})
