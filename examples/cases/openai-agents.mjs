import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { access, onEachWire, prompt, runCases } from './run-cases.mjs'

setTracingDisabled(true)
const runnerOf = (useResponses) => new Runner({ modelProvider: new OpenAIProvider({ ...access, useResponses }) })
const parameters = z.object({ city: z.string() })
const weather = tool({ name: 'weather', description: 'Weather.', parameters, execute: async () => 'Rain.' })
const agentOf = (model, more = {}) => new Agent({ name: 'Weather', model, ...more })

const casesOf = (name, runner) => ({
  ...onEachWire(`${name}: tools`, async (wire) => {
    const { newItems } = await runner.run(agentOf(`${wire}/tools`, { tools: [weather] }), prompt)
    return newItems.length === 3
  }),
  ...onEachWire(`${name}: stream`, async (wire) => {
    const streamed = await runner.run(agentOf(`${wire}/small`), prompt, { stream: true })
    await streamed.completed
    return streamed.finalOutput.length > 0
  }),
  ...onEachWire(`${name}: outputType`, async (wire) => {
    const { finalOutput } = await runner.run(agentOf(`${wire}/small`, { outputType: parameters }), prompt)
    return typeof finalOutput.city === 'string'
  }),
})

await runCases({ ...casesOf('responses', runnerOf(true)), ...casesOf('chat', runnerOf(false)) })
