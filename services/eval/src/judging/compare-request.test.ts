import type { ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import { compareRequest } from './compare-request.ts'

const prompt = { system: 'S', user: 'U' }
const plain: ModelTraits = { provider: 'acme', capabilities: ['chat'], unsupportedParameters: [] }

it('asks for the likeliest answer, with instructions and data in messages of their own', () => {
  expect(JSON.parse(compareRequest('acme/m', prompt, plain))).toEqual({
    model: 'acme/m',
    messages: [
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
    ],
    max_tokens: 2_048,
    temperature: 0,
  })
})

it('asks for the form of a preference where a model keeps to forms', () => {
  const request = JSON.parse(compareRequest('acme/m', prompt, { ...plain, capabilities: ['json_schema'] }))
  expect(request.response_format).toEqual({
    type: 'json_schema',
    json_schema: {
      name: 'preference',
      strict: true,
      schema: {
        type: 'object',
        properties: { explanation: { type: 'string' }, winner: { type: 'string', enum: ['first', 'second', 'tie'] } },
        required: ['explanation', 'winner'],
        additionalProperties: false,
      },
    },
  })
})
