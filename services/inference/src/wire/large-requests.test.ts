import { cpuMs } from '@ratchet/testing/cpu-time'
import type { CatalogModel } from '../catalog/catalog.ts'
import { replayedOutput } from '../stored-responses/replayed-output.ts'
import { geminiToChat } from './gemini/gemini-to-chat.ts'
import { longCachePath } from './long-cache.ts'
import { chatOutput } from './messages/chat-output.ts'
import { offeredTools } from './offered-tools.ts'

/** Requests with as many parts as a body may have, each of which is compared with all others. */
const many = <T>(count: number, value: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => value(index))
const named = { model: 'm', stream: false }
const texts = { contents: [{ parts: [{ text: 'Hi' }] }] }

const attacks: Readonly<Record<string, () => unknown>> = {
  'calls of Gemini without ids': () => {
    const parts = many(20_000, () => ({ functionCall: { name: 'f' } }))
    return geminiToChat({ contents: [{ role: 'model', parts }] }, named)
  },
  'calls of Gemini and their responses': () => {
    const calls = many(10_000, () => ({ functionCall: { name: 'f' } }))
    const responses = many(10_000, () => ({ functionResponse: { name: 'f' } }))
    const contents = [{ role: 'model', parts: calls }, { parts: responses }]
    return geminiToChat({ contents }, named)
  },
  'functions of Gemini and names that may be called': () => {
    const functionDeclarations = many(40_000, (index) => ({ name: `f${index}` }))
    const functionCallingConfig = { mode: 'ANY', allowedFunctionNames: many(200_000, (index) => `n${index}`) }
    return geminiToChat({ ...texts, tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } }, named)
  },
  'names that a schema demands': () => {
    const names = many(40_000, (index) => `n${index}`)
    const required = [...many(400_000, () => 0), ...names]
    const properties = Object.fromEntries(names.map((name) => [name, {}]))
    const schema = { type: 'object', additionalProperties: false, properties, required }
    return chatOutput(
      { output_config: { format: { type: 'json_schema', schema } } },
      {
        model: { capabilities: [] as readonly string[] } as CatalogModel,
        leniency: undefined,
      },
    )
  },
  'values in which a cache hint is looked for': () => longCachePath({ metadata: { list: many(400_000, () => []) } }),
  'reasoning in a stored response': () => {
    const output = many(60_000, (id) => ({ type: 'reasoning', id, summary: [{ text: 'x' }] }))
    return replayedOutput({ reply: JSON.stringify({ output, status: 'completed' }), model: 'm' }, new Set())
  },
  'tools that are kept, left out and allowed': () => {
    const kept = many(8_000, (index) => ({ type: 'function', name: `f${index}` }))
    const tools = [...kept, ...many(8_000, () => ({ type: 'web_search' }))]
    const allowed = [...many(8_000, () => ({ type: 'other' })), { type: 'function', name: 'f7999' }]
    const leniency = { dropsParameters: false, dropped: new Set<string>() }
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: allowed }
    return offeredTools({ tools, tool_choice }, { isKept: ({ type }) => type === 'function', leniency })
  },
}

it.each(Object.entries(attacks))('takes a part of a second for %s', (_, attack) => {
  expect(cpuMs(attack)).toBeLessThan(1_000)
})
