import type { ModelTraits } from '@ratchet/judge-kit/prompt/structured-request'
import { compareRequest } from './compare-answers.ts'

const prompt = { system: 'S', user: 'U' }
const plain: ModelTraits = { provider: 'acme', capabilities: ['chat'], unsupportedParameters: [] }

it('uses temperature 0, with instructions and data in separate messages', () => {
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

it('requests a JSON schema when the model supports it', () => {
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
