// LangChain: an agent with a function and a name.
import { ChatOpenAI } from '@langchain/openai'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'

const model = new ChatOpenAI({
  model: process.env.TOOL_MODEL ?? 'sim/tools',
  apiKey: process.env.RATCHET_API_KEY,
  configuration: { baseURL: `${process.env.RATCHET_BASE_URL}/v1` },
})

const weather = tool(({ city }) => `It rains in ${city}.`, {
  name: 'weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
})

const agent = createAgent({ name: 'weather_agent', model, tools: [weather] })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'How is the weather in Bergen?' }] })

for (const message of messages) console.log(`${message.type}: ${message.text}`)
