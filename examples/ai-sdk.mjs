// Vercel's AI SDK: a model that calls a function and then answers.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'

const ratchet = createOpenAICompatible({
  name: 'ratchet',
  baseURL: `${process.env.RATCHET_BASE_URL}/v1`,
  apiKey: process.env.RATCHET_API_KEY,
})

const weather = tool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `It rains in ${city}.`,
})

const { text, steps } = await generateText({
  model: ratchet(process.env.TOOL_MODEL ?? 'sim/tools'),
  prompt: 'How is the weather in Bergen?',
  tools: { weather },
  stopWhen: stepCountIs(5),
})

console.log(`${steps.length} steps, ${steps.flatMap((step) => step.toolCalls).length} calls of a function`)
console.log(text)
