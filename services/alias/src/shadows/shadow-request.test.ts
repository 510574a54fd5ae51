import type { LogEntry } from '@ratchet/contracts/logs'
import { shadowRequest } from './shadow-request.ts'

const traits = { provider: 'sim', capabilities: ['chat'], unsupportedParameters: [] as string[] }
const entry = {
  messages: [{ role: 'user', content: 'Hi.' }],
  tools: null,
  response_format: null,
  params: { temperature: 0.2, max_tokens: 50, top_p: null },
} as unknown as LogEntry

it('asks what the logged exchange asked, of the mirror', () => {
  expect(JSON.parse(shadowRequest('sim/small', entry, traits))).toEqual({
    model: 'sim/small',
    messages: entry.messages,
    temperature: 0.2,
    max_tokens: 50,
  })
})

it('offers the same tools and wants the same form', () => {
  const tools = [{ type: 'function', function: { name: 'search' } }]
  const format = { type: 'json_object' }
  const asked = JSON.parse(shadowRequest('sim/small', { ...entry, tools, response_format: format }, traits))
  expect(asked).toMatchObject({ tools, response_format: format })
})

it('leaves out what the mirror does not take, and names the limit as it does', () => {
  const other = { ...traits, unsupportedParameters: ['temperature', 'max_tokens'] }
  expect(JSON.parse(shadowRequest('sim/small', entry, other))).toEqual({
    model: 'sim/small',
    messages: entry.messages,
    max_completion_tokens: 50,
  })
})

it('is not fooled by a parameter that is called as a part of the request is', () => {
  const odd = { ...entry, params: { model: 'sim/large', messages: [] } } as unknown as LogEntry
  expect(JSON.parse(shadowRequest('sim/small', odd, traits))).toEqual({ model: 'sim/small', messages: entry.messages })
})
