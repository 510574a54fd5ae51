import { startWireApp } from './wire-app.fixture.ts'

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const contents = [{ role: 'user', parts: [{ text: 'Seven swans.' }] }]
const ask = (call: string, body: object = { contents }) => wire.send(body, {}, `/v1beta/models/${call}`)

describe.each(['sim', 'sim-anthropic', 'sim-google', 'sim-bedrock'])('Gemini`s API with models of %s', (provider) => {
  it('generates content, and says what it cost', async () => {
    const { status, body, headers } = await ask(`${provider}/echo:generateContent`)
    expect(status).toBe(200)
    expect(body.candidates).toEqual([
      { content: { role: 'model', parts: [{ text: 'Seven swans.' }] }, finishReason: 'STOP', index: 0 },
    ])
    expect(body.usageMetadata.costUsd).toBe(Number(headers['x-svc-cost-usd']))
    expect(headers['x-svc-served-model']).toBe(`${provider}/echo`)
  })

  it('calls functions, and takes back what it said with their results', async () => {
    const parameters = { type: 'OBJECT', properties: { city: { type: 'STRING' } } }
    const tools = [{ functionDeclarations: [{ name: 'weather', parameters }] }]
    const said = await ask(`${provider}/tools:generateContent`, { contents, tools })
    const { content } = said.body.candidates[0]
    const [{ functionCall: call }] = content.parts
    expect(call.name).toBe('weather')
    const functionResponse = { id: call.id, name: call.name, response: { output: 'Rain.' } }
    const history = [...contents, content, { role: 'user', parts: [{ functionResponse }] }]
    const { status, body } = await ask(`${provider}/tools:generateContent`, { contents: history, tools })
    expect([status, typeof body.candidates[0].content.parts[0].text]).toEqual([200, 'string'])
  })
})

it('streams server-sent events, the last with the usage', async () => {
  const { text, headers } = await ask('sim/echo:streamGenerateContent?alt=sse')
  expect(headers['content-type']).toMatch(/^text\/event-stream/)
  const events = text
    .split('\r\n\r\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice('data: '.length)))
  const parts = events.flatMap(({ candidates: [{ content }] }) => content.parts)
  expect(parts.map((part) => part.text).join('')).toBe('Seven swans.')
  expect(events.at(-1)).toMatchObject({
    candidates: [{ finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 9 },
  })
})

it('counts tokens without a call of a provider', async () => {
  const before = wire.sent.length
  const generateContentRequest = { model: 'models/sim/small', contents }
  const counts = [await ask('sim/small:countTokens'), await ask('sim/small:countTokens', { generateContentRequest })]
  expect(counts.map(({ body }) => body.totalTokens > 0)).toEqual([true, true])
  expect(wire.sent).toHaveLength(before)
})

it.each<[string, object, number, string]>([
  ['sim/small:streamGenerateContent', { contents }, 400, 'alt=sse'],
  ['sim/small:embedContent', { contents }, 404, 'countTokens'],
  ['sim/small:generateContent', { contents: [] }, 400, 'contents'],
  ['sim/small:generateContent', { contents, tools: [{ codeExecution: {} }] }, 400, 'tools.0.codeExecution'],
  ['nobody/none:generateContent', { contents }, 404, 'nobody/none'],
  ['sim/fail-500:generateContent', { contents }, 502, 'provider'],
])('answers a wrong call of %s in the form of Google`s errors', async (call, body, code, text) => {
  const answer = await ask(call, body)
  expect([answer.status, answer.body.error.code]).toEqual([code, code])
  expect(answer.body.error.message).toContain(text)
})
