import Anthropic from '@anthropic-ai/sdk'
import type { OpenAI } from 'openai'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { wires } from './wires.ts'

let fleet: SharedFleet
let anthropic: Anthropic
let openai: OpenAI

beforeAll(async () => {
  fleet = await shareFleet()
  anthropic = new Anthropic({ baseURL: fleet.url, apiKey: fleet.workspace.apiKey, authToken: null, maxRetries: 0 })
  openai = openaiFor(fleet)
}, 300_000)

const question = { role: 'user' as const, content: 'How do glaciers carve valleys in Norway?' }
const weather = {
  name: 'get_weather',
  description: 'Weather.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
}

/** A conversation of the SDK in which a Gemini 3 model called a tool. */
async function calledByGemini(isStreamed: boolean): Promise<Anthropic.MessageParam[]> {
  const request = { model: 'sim-google/gemini-3-tools', max_tokens: 500, messages: [question], tools: [weather] }
  const { content } = await (isStreamed
    ? anthropic.messages.stream(request).finalMessage()
    : anthropic.messages.create(request))
  const [use] = content.filter((block) => block.type === 'tool_use')
  expect(use).toMatchObject({ extra_content: { google: { thought_signature: expect.stringMatching(/^\w+=*$/) } } })
  const result = { type: 'tool_result' as const, tool_use_id: use?.id ?? '', content: 'sunny' }
  return [question, { role: 'assistant', content }, { role: 'user', content: [result] }]
}

describe.each([false, true])('a conversation that Gemini began (streamed: %s)', (isStreamed) => {
  it.each(['sim-google/gemini-3-tools', ...wires.map((wire) => `${wire}/tools`)])(
    'continues at %s with the @anthropic-ai/sdk package',
    async (model) => {
      const messages = await calledByGemini(isStreamed)
      const { stop_reason } = await anthropic.messages.create({ model, max_tokens: 500, messages, tools: [weather] })
      expect(stop_reason).toBe('end_turn')
    },
  )
})

it.each(wires)('continues at %s with ids of tool calls from other providers', async (wire) => {
  const ids = ['functions.get_weather:0', 'functions.get_weather.0', `call_${'x'.repeat(60)}`]
  const call = (id: string) => ({
    id,
    type: 'function' as const,
    function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
  })
  const { choices } = await openai.chat.completions.create({
    model: `${wire}/tools`,
    tools: [{ type: 'function', function: { name: 'get_weather', parameters: weather.input_schema } }],
    messages: [
      question,
      { role: 'assistant', content: '\n\n', tool_calls: ids.map(call) },
      ...ids.map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'sunny' })),
      { role: 'assistant', content: '' },
      { role: 'user', content: 'So?' },
    ],
  })
  expect(choices[0]?.message.content).toMatch(/\w/)
})
