import { createRequire } from 'node:module'
import path from 'node:path'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findPython } from '@ratchet/infra/processes/find-python'
import { ledgerOf, payFor, priceUsd } from '../charge.ts'
import { type SharedFleet, shareFleet } from '../shared-fleet/shared-fleet.ts'
import { installNpm, installPython, installTimeoutMs } from './install-software.ts'

// biome-ignore lint/suspicious/noExplicitAny: the package is installed for the test, so it has no types here
type Json = any

let fleet: SharedFleet
let models: Json

beforeAll(async () => {
  fleet = await shareFleet()
  const folder = await installNpm(['@google/genai@3.3.0'])
  const { GoogleGenAI } = createRequire(path.join(folder, 'package.json'))('@google/genai')
  const client = new GoogleGenAI({ apiKey: fleet.workspace.apiKey, httpOptions: { baseUrl: fleet.url } })
  models = client.models
}, installTimeoutMs)

const parametersJsonSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { functionDeclarations: [{ name: 'get_weather', description: 'The weather', parametersJsonSchema }] }

describe.each(['sim', 'sim-anthropic', 'sim-google', 'sim-bedrock'])('google-genai with models of %s', (wire) => {
  it('generates content, at the price of a chat', async () => {
    const model = `${wire}/small`
    const config = { systemInstruction: 'Be brief.', temperature: 0.5, maxOutputTokens: 200, safetySettings: [] }
    const { answer, paidUsd } = await payFor<Json>(fleet, () =>
      models.generateContent({ model, contents: 'Why is the sky blue?', config }),
    )
    expect(answer.text).toContain('blue')
    expect(answer.candidates[0].finishReason).toBe('STOP')
    const { promptTokenCount: prompt, candidatesTokenCount: completion, costUsd } = answer.usageMetadata
    expect([paidUsd, costUsd]).toEqual([priceUsd(model, { prompt, completion }), paidUsd])
  })

  it('streams the same text, with the usage in the last chunk', async () => {
    const request = { model: `${wire}/echo`, contents: 'Seven swans swim.' }
    const chunks: Json[] = []
    for await (const chunk of await models.generateContentStream(request)) chunks.push(chunk)
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('Seven swans swim.')
    expect(chunks.length).toBeGreaterThan(2)
    expect(chunks.at(-1).candidates[0].finishReason).toBe('STOP')
    expect(chunks.at(-1).usageMetadata.costUsd).toBeGreaterThan(0)
  })

  it.each([false, true])('calls functions and reads their results (streamed: %s)', async (isStream) => {
    const model = `${wire}/tools`
    const question = { role: 'user', parts: [{ text: 'Is it raining in Oslo?' }] }
    const config = { tools: [weather] }
    const first = await lastOf(models, isStream, { model, contents: [question], config })
    const [call] = first.functionCalls
    expect(call.name).toBe('get_weather')
    const result = { functionResponse: { id: call.id, name: call.name, response: { output: 'It rains.' } } }
    const contents = [question, first.candidates[0].content, { role: 'user', parts: [result] }]
    const { text } = await models.generateContent({ model, contents, config })
    expect(text).not.toBe('')
  })
})

/** The answer, or the chunk of a stream that ends it. */
async function lastOf(from: Json, isStream: boolean, request: object): Promise<Json> {
  if (!isStream) return from.generateContent(request)
  let last: Json
  for await (const chunk of await from.generateContentStream(request)) last = chunk
  return last
}

it('answers in JSON by a schema, and shows several candidates', async () => {
  const responseJsonSchema = { ...parametersJsonSchema, additionalProperties: false }
  const config = { responseMimeType: 'application/json', responseJsonSchema, candidateCount: 2 }
  const { candidates } = await models.generateContent({ model: 'sim/small', contents: 'A city.', config })
  const cities = candidates.map(({ content }: Json) => JSON.parse(content.parts[0].text).city)
  expect(cities).toEqual([expect.any(String), expect.any(String)])
})

it('counts tokens free of charge', async () => {
  const { answer, paidUsd } = await payFor<Json>(fleet, () =>
    models.countTokens({ model: 'sim/small', contents: 'Why is the sky blue?' }),
  )
  expect([answer.totalTokens > 5 && answer.totalTokens < 20, paidUsd]).toEqual([true, 0])
})

it.each<[string, object, number]>([
  ['a tool that Google runs', { model: 'sim/small', contents: 'x', config: { tools: [{ googleSearch: {} }] } }, 400],
  ['an unknown model', { model: 'nobody/none', contents: 'x' }, 404],
  ['a provider that fails', { model: 'sim/fail-503', contents: 'x' }, 502],
])('refuses %s with an error that the package reads', async (_, request, status) => {
  const error: Json = await models.generateContent(request).catch((thrown: unknown) => thrown)
  expect([error.name, error.status]).toEqual(['ApiError', status])
})

const withPython = findPython().kind === 'found' ? it : it.skip

withPython(
  'answers the Python package',
  async () => {
    const programs = await installPython(['google-genai==1.52.0'])
    const script = `
from google import genai
client = genai.Client(api_key="${fleet.workspace.apiKey}", http_options={"base_url": "${fleet.url}"})
print(client.models.generate_content(model="sim/echo", contents="One swan.").text)
print("".join(c.text or "" for c in client.models.generate_content_stream(model="sim/echo", contents="Two swans.")))
print(client.models.count_tokens(model="sim/echo", contents="Three").total_tokens > 0)
`
    const env = { PATH: process.env.PATH, HOME: path.dirname(programs) }
    const { output } = await collectOutput(path.join(programs, 'python'), ['-c', script], { cwd: programs, env })
    expect(output).toContain('One swan.\nTwo swans.\nTrue')
  },
  installTimeoutMs,
)

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})
