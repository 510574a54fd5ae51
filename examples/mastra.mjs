// Mastra: an agent with a function.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'

const ratchet = createOpenAICompatible({
  name: 'ratchet',
  baseURL: `${process.env.RATCHET_BASE_URL}/v1`,
  apiKey: process.env.RATCHET_API_KEY,
})

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ weather: `It rains in ${city}.` }),
})

const agent = new Agent({
  id: 'weather-agent',
  name: 'weather_agent',
  instructions: 'Answer in one sentence.',
  model: ratchet(process.env.TOOL_MODEL ?? 'sim/tools'),
  tools: { weather },
})

const { text, toolCalls } = await agent.generate('How is the weather in Bergen?')
console.log(`${toolCalls.length} calls of a function`)
console.log(text)
