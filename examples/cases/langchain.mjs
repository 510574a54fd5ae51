import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'
import { access, onEachWire, prompt, runCases } from './run-cases.mjs'

const chat = (model, more = {}) =>
  new ChatOpenAI({ model, apiKey: access.apiKey, configuration: { baseURL: access.baseURL }, maxRetries: 0, ...more })
const schema = z.object({ city: z.string() })
const weather = tool(() => 'Rain.', { name: 'weather', description: 'Weather.', schema })
const messages = [{ role: 'user', content: prompt }]

await runCases({
  ...onEachWire('invoke', async (wire) => (await chat(`${wire}/small`).invoke(prompt)).text.length > 0),
  ...onEachWire('stream', async (wire) => {
    let text = ''
    for await (const chunk of await chat(`${wire}/small`).stream(prompt)) text += chunk.text
    return text.length > 0
  }),
  ...onEachWire('withStructuredOutput', async (wire) => {
    return typeof (await chat(`${wire}/small`).withStructuredOutput(schema).invoke(prompt)).city === 'string'
  }),
  ...onEachWire('agent with a name', async (wire) => {
    const agent = createAgent({ name: 'weather_agent', model: chat(`${wire}/tools`), tools: [weather] })
    return (await agent.invoke({ messages })).messages.length === 4
  }),
  ...onEachWire('responses', async (wire) => {
    return (await chat(`${wire}/small`, { useResponsesApi: true }).invoke(prompt)).text.length > 0
  }),
  embeddings: async () => {
    const embeddings = new OpenAIEmbeddings({ model: 'sim/embed', apiKey: access.apiKey, configuration: access })
    return (await embeddings.embedDocuments(['a', 'b'])).length === 2
  },
})
