import Anthropic from '@anthropic-ai/sdk'
import { access, onEachWire, origin, prompt, runCases } from './run-cases.mjs'

const client = new Anthropic({ baseURL: origin, apiKey: access.apiKey, maxRetries: 0 })
const messages = [{ role: 'user', content: prompt }]
const body = { max_tokens: 200, messages }
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ name: 'weather', input_schema: schema }]

await runCases({
  ...onEachWire('messages', async (wire) => {
    const { content } = await client.messages.create({ model: `${wire}/small`, ...body })
    return content[0].text.length > 0
  }),
  ...onEachWire('stream', async (wire) => {
    const message = await client.messages.stream({ model: `${wire}/small`, ...body }).finalMessage()
    return message.stop_reason === 'end_turn'
  }),
  ...onEachWire('tools', async (wire) => {
    const { content } = await client.messages.create({ model: `${wire}/tools`, ...body, tools })
    return content.some(({ type }) => type === 'tool_use')
  }),
  ...onEachWire('betas', async (wire) => {
    const betas = ['context-management-2025-06-27', 'interleaved-thinking-2025-05-14', 'extended-cache-ttl-2025-04-11']
    await client.beta.messages.create({ model: `${wire}/small`, ...body, betas })
  }),
  ...onEachWire('caches of an hour', async (wire) => {
    const system = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }]
    await client.messages.create({ model: `${wire}/small`, ...body, system })
  }),
  ...onEachWire('web_search', async (wire) => {
    const search = [{ type: 'web_search_20250305', name: 'web_search' }]
    await client.messages.create({ model: `${wire}/small`, ...body, tools: search })
  }),
  countTokens: async () => (await client.messages.countTokens({ model: 'sim/small', messages })).input_tokens > 0,
  'models.list': async () => (await client.models.list()).data.length > 0,
  'error classes': async () => {
    const error = await client.messages.create({ model: 'nothing', ...body }).catch((thrown) => thrown)
    return error instanceof Anthropic.NotFoundError
  },
})
