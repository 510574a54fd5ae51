// LlamaIndex.TS: a chat and an agent.
import { OpenAI } from '@llamaindex/openai'
import { agent } from '@llamaindex/workflow'
import { tool } from 'llamaindex'
import { z } from 'zod'

const llm = new OpenAI({
  model: process.env.TOOL_MODEL ?? 'sim/tools',
  apiKey: process.env.RATCHET_API_KEY,
  baseURL: `${process.env.RATCHET_BASE_URL}/v1`,
  supportToolCall: true,
})

let calls = 0
const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute({ city }) {
    calls += 1
    return `It rains in ${city}.`
  },
})

const { data } = await agent({ llm, tools: [weather] }).run('How is the weather in Bergen?')
console.log(`${calls} calls of a function`)
console.log(data.result)
