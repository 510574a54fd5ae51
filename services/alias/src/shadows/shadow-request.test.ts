import type { LogEntry } from '@ratchet/contracts/logs'
import { shadowRequest } from './shadow-request.ts'

const traits = { provider: 'sim', capabilities: ['chat'], unsupportedParameters: [] as string[] }
const entry = {
  messages: [{ role: 'user', content: 'Hi.' }],
  tools: null,
  response_format: null,
  params: { temperature: 0.2, max_tokens: 50, top_p: null },
} as unknown as LogEntry

it('sends the logged request to the shadow model', () => {
  expect(JSON.parse(shadowRequest('sim/small', entry, traits))).toEqual({
    model: 'sim/small',
    messages: entry.messages,
    temperature: 0.2,
    max_tokens: 50,
  })
})

it('sends the same tools and response format', () => {
  const tools = [{ type: 'function', function: { name: 'search' } }]
  const format = { type: 'json_object' }
  const sent = JSON.parse(shadowRequest('sim/small', { ...entry, tools, response_format: format }, traits))
  expect(sent).toMatchObject({ tools, response_format: format })
})

it('omits unsupported parameters, and renames the length limit for the model', () => {
  const other = { ...traits, unsupportedParameters: ['temperature', 'max_tokens'] }
  expect(JSON.parse(shadowRequest('sim/small', entry, other))).toEqual({
    model: 'sim/small',
    messages: entry.messages,
    max_completion_tokens: 50,
  })
})

it('a logged parameter cannot replace a part of the request', () => {
  const odd = { ...entry, params: { model: 'sim/large', messages: [] } } as unknown as LogEntry
  expect(JSON.parse(shadowRequest('sim/small', odd, traits))).toEqual({ model: 'sim/small', messages: entry.messages })
})
