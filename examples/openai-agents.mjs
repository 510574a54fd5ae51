// OpenAI's Agents SDK: an agent whose answer ends with a function's result. Responses API, which it uses by default.
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'

// Its traces would go to OpenAI.
setTracingDisabled(true)

const modelProvider = new OpenAIProvider({
  baseURL: `${process.env.RATCHET_BASE_URL}/v1`,
  apiKey: process.env.RATCHET_API_KEY,
})

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `It rains in ${city}.`,
})

const agent = new Agent({
  name: 'Weather',
  instructions: 'Answer in one sentence.',
  model: process.env.TOOL_MODEL ?? 'sim/tools',
  tools: [weather],
})

const { finalOutput, newItems } = await new Runner({ modelProvider }).run(agent, 'How is the weather in Bergen?')
console.log(newItems.map(({ type }) => type).join(', '))
console.log(finalOutput)
