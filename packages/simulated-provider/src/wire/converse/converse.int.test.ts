import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'
import { providerClient, readJson } from '../../provider-client.ts'
import { type SimulatedProvider, startSimulatedProvider } from '../../start-simulated-provider.ts'

let provider: SimulatedProvider
beforeAll(async () => {
  provider = await startSimulatedProvider()
})
afterAll(() => provider.stop())

const question = [{ role: 'user', content: [{ text: 'Why is the sky blue?' }] }]
const toolSpec = {
  name: 'weather',
  inputSchema: { json: { type: 'object', properties: { city: { type: 'string' } } } },
}
const toolConfig = { tools: [{ toolSpec }] }

/** A call and its result. */
const round = (toolUseId: string, text = 'sunny') => ({
  toolConfig,
  messages: [
    ...question,
    { role: 'assistant', content: [{ toolUse: { toolUseId, name: 'weather', input: {} } }] },
    { role: 'user', content: [{ toolResult: { toolUseId, content: [{ text }] } }] },
  ],
})

const pathOf = (model: string, operation: string) => `/model/${encodeURIComponent(`sim-bedrock/${model}`)}/${operation}`
const post = (model: string, body: object = {}, headers: Record<string, string> = {}, operation = 'converse') =>
  providerClient(provider.baseUrl).post(pathOf(model, operation), { messages: question, ...body }, headers)
const ask = async (model: string, body?: object) => readJson(await post(model, body))
const stream = async (model: string, body?: object) => {
  const response = await post(model, body, {}, 'converse-stream')
  expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream')
  return eventsIn(Buffer.from(await response.arrayBuffer()))
}

const codec = new EventStreamCodec(toUtf8, fromUtf8)

/** Name and payload of every message. @throws for one whose checksum is wrong */
// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
function eventsIn(bytes: Buffer): [string, any][] {
  if (bytes.length === 0) return []
  const length = bytes.readUInt32BE(0)
  const { headers, body } = codec.decode(bytes.subarray(0, length))
  const name = headers[':event-type']?.value ?? headers[':exception-type']?.value
  return [[String(name), JSON.parse(toUtf8(body))], ...eventsIn(bytes.subarray(length))]
}

describe('POST /model/{model}/converse of the simulated provider', () => {
  it('answers with a message, and with the same one in a stream of binary events', async () => {
    const whole = await ask('large')
    expect(whole).toEqual({
      output: { message: { role: 'assistant', content: [{ text: expect.any(String) }] } },
      stopReason: 'end_turn',
      usage: {
        inputTokens: expect.any(Number),
        outputTokens: expect.any(Number),
        totalTokens: whole.usage.inputTokens + whole.usage.outputTokens,
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
      metrics: { latencyMs: 60 },
    })
    const events = await stream('large')
    const names = events.map(([name]) => name).filter((name) => name !== 'contentBlockDelta')
    expect(names).toEqual(['messageStart', 'contentBlockStop', 'messageStop', 'metadata'])
    expect(events.map(([, { delta }]) => delta?.text ?? '').join('')).toBe(whole.output.message.content[0].text)
    expect(events.at(-1)?.[1].usage).toEqual(whole.usage)
  })

  it('calls tools, their input in pieces', async () => {
    const { output, stopReason } = await ask('tools', { toolConfig })
    const { toolUse } = output.message.content[0]
    expect([toolUse.name, stopReason]).toEqual(['weather', 'tool_use'])
    const events = await stream('tools', { toolConfig })
    expect(events.find(([name]) => name === 'contentBlockStart')?.[1].start.toolUse).toEqual({
      toolUseId: toolUse.toolUseId,
      name: 'weather',
    })
    const pieces = events.map(([, { delta }]) => delta?.toolUse?.input ?? '')
    expect(JSON.parse(pieces.join(''))).toEqual(toolUse.input)
    const result = { toolUseId: toolUse.toolUseId, content: [{ text: 'sunny' }] }
    const messages = [...question, output.message, { role: 'user', content: [{ toolResult: result }] }]
    expect((await ask('tools', { toolConfig, messages })).stopReason).toBe('end_turn')
    const forced = await ask('large', { toolConfig: { ...toolConfig, toolChoice: { any: {} } } })
    expect(forced.stopReason).toBe('tool_use')
  })

  it('accepts the result of a call', async () => {
    expect((await post('tools', round('tooluse_a-1'))).status).toBe(200)
  })

  it('gives a prefix of the same answer for a limit', async () => {
    const whole = await ask('large')
    const short = await ask('large', { inferenceConfig: { maxTokens: 3 } })
    expect(short.stopReason).toBe('max_tokens')
    expect(whole.output.message.content[0].text).toMatch(new RegExp(`^${short.output.message.content[0].text}`))
  })

  it('returns its reasoning and cached tokens, or neither', async () => {
    const { content } = (await ask('reasoning-8')).output.message
    expect(content.map((block: object) => Object.keys(block)[0])).toEqual(['reasoningContent', 'text'])
    expect((await ask('cached-4')).usage.cacheReadInputTokens).toBe(4)
    const system = [{ text: 'Long ago.' }, { cachePoint: { type: 'default' } }]
    expect((await ask('large', { system: [{ text: 'Long ago.' }] })).usage.cacheWriteInputTokens).toBe(0)
    expect(await ask('no-usage')).not.toHaveProperty('usage')
    const { usage } = await ask('large', { system })
    expect(usage).toMatchObject({ inputTokens: 0, cacheWriteInputTokens: expect.any(Number) })
    expect(usage.totalTokens).toBe(usage.cacheWriteInputTokens + usage.outputTokens)
  })

  it.each([
    [429, 'ThrottlingException'],
    [503, 'ServiceUnavailableException'],
    [403, 'AccessDeniedException'],
    [400, 'ValidationException'],
  ])('fails with %i as a %s', async (status, name) => {
    const response = await post(`fail-${status}`)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-amzn-errortype')).toMatch(new RegExp(`^${name}:`))
    expect(await readJson(response)).toEqual({ message: expect.any(String) })
  })

  it('breaks a stream in each of the ways', async () => {
    expect((await stream('errorfirst')).map(([name]) => name)).toEqual(['internalServerException'])
    const events = await stream('errorframe')
    expect(events.at(-1)).toEqual(['internalServerException', { message: expect.any(String) }])
    await expect(stream('malformed')).rejects.toThrow(/checksum/)
    const cut = await post('cut-200', {}, {}, 'converse-stream')
    await expect(cut.arrayBuffer()).rejects.toThrow()
  })

  it.each<[string, object]>([
    ['a member it does not know', { max_tokens: 5 }],
    ['blank text', { messages: [{ role: 'user', content: [{ text: ' ' }] }] }],
    ['two messages of one role', { messages: [...question, ...question] }],
    ['an answer that comes first', { messages: [{ role: 'assistant', content: [{ text: 'Hi' }] }] }],
    ['two kinds of content in one block', { messages: [{ role: 'user', content: [{ text: 'a', image: {} }] }] }],
    ['a temperature above 1', { inferenceConfig: { temperature: 1.5 } }],
    [
      'a tool with a name that is too long',
      { toolConfig: { tools: [{ toolSpec: { ...toolSpec, name: 'x'.repeat(65) } }] } },
    ],
    ['a tool with dots in its name', { toolConfig: { tools: [{ toolSpec: { ...toolSpec, name: 'a.b' } }] } }],
    ['a call whose id has a colon', round('a:0')],
    ['a call whose id is too long', round('x'.repeat(65))],
    ['a blank result', round('a', ' ')],
    ['a tool with an empty description', { toolConfig: { tools: [{ toolSpec: { ...toolSpec, description: '' } }] } }],
    [
      'a schema that is not JSON',
      { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: '{' } } } } },
    ],
    [
      'a call without a result',
      {
        toolConfig,
        messages: [
          ...question,
          { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'b', input: {} } }] },
        ],
      },
    ],
  ])('refuses %s', async (_name, body) => {
    const response = await post('large', body)
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([
      400,
      expect.stringMatching(/^ValidationException:/),
    ])
  })

  it('requires an API key or a signature; a signature of the known key is verified', async () => {
    const date = '20261121T170000Z'
    const signed = (keyId: string) => ({
      'x-amz-date': date,
      authorization:
        `AWS4-HMAC-SHA256 Credential=${keyId}/20261121/us-east-1/bedrock/aws4_request, ` +
        `SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
    })
    expect((await post('large', {}, signed('AKIDEXAMPLE'))).status).toBe(200)
    const failures = [signed('SIM'), { ...signed('AKIDEXAMPLE'), 'x-amz-date': '' }, { authorization: '' }]
    const types = []
    for (const headers of failures) {
      const response = await post('large', {}, headers)
      types.push(response.headers.get('x-amzn-errortype')?.split(':')[0])
      expect(response.status).toBe(403)
    }
    expect(types).toEqual([
      'InvalidSignatureException',
      'IncompleteSignatureException',
      'MissingAuthenticationTokenException',
    ])
  })

  it("serves no other provider's models", async () => {
    const path = `/model/${encodeURIComponent('sim/large')}/converse`
    expect((await providerClient(provider.baseUrl).post(path, { messages: question })).status).toBe(400)
  })
})
