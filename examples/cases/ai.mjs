import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { embed, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { access, onEachWire, prompt, runCases, wires } from './run-cases.mjs'

const openai = createOpenAI(access)
const compatible = createOpenAICompatible({ name: 'ratchet', supportsStructuredOutputs: true, ...access })
const providers = {
  responses: (id) => openai.responses(id),
  chat: (id) => openai.chat(id),
  compatible: (id) => compatible(id),
  anthropic: (id) => createAnthropic(access)(id),
}
const inputSchema = z.object({ city: z.string() })
const weather = tool({ description: 'Weather.', inputSchema, execute: async () => 'Rain.' })

const casesOf = ([provider, model]) => ({
  ...onEachWire(`${provider}: generateText`, async (wire) => {
    return (await generateText({ model: model(`${wire}/small`), prompt, maxRetries: 0 })).text.length > 0
  }),
  ...onEachWire(`${provider}: streamText`, async (wire) => {
    return (await streamText({ model: model(`${wire}/small`), prompt, maxRetries: 0 }).text).length > 0
  }),
  ...onEachWire(`${provider}: tools`, async (wire) => {
    const stopWhen = stepCountIs(4)
    const { steps } = await generateText({ model: model(`${wire}/tools`), prompt, tools: { weather }, stopWhen })
    return steps.length === 2
  }),
  ...onEachWire(`${provider}: output`, async (wire) => {
    const output = Output.object({ schema: inputSchema })
    const { output: city } = await generateText({ model: model(`${wire}/small`), prompt, output, maxRetries: 0 })
    return typeof city.city === 'string'
  }),
})

await runCases({
  ...Object.assign({}, ...Object.entries(providers).map(casesOf)),
  embed: async () => (await embed({ model: openai.embedding('sim/embed'), value: wires[0] })).embedding.length > 0,
})
