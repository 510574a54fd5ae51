import { type ProviderClient, providerClient } from './provider-client.ts'
import { type SimulatedProvider, startSimulatedProvider } from './start-simulated-provider.ts'

let provider: SimulatedProvider
let client: ProviderClient

beforeAll(async () => {
  provider = await startSimulatedProvider()
  client = providerClient(provider.baseUrl)
})
afterAll(() => provider.stop())

interface Delta {
  content?: string
  tool_calls?: { index: number; function: { name?: string; arguments: string } }[]
}
interface Chunk {
  usage?: { completion_tokens: number } | null
  choices: { index: number; delta: Delta; finish_reason: string | null; logprobs: object | null }[]
}

const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'How do glaciers carve valleys? 😀 Really?' }]
const properties = { city: { type: 'string' }, days: { type: 'integer' } }
const weather = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties } } }
const withUsage = { stream_options: { include_usage: true } }

const chunksOf = (events: unknown[]) => events.filter((event) => event !== '[DONE]') as Chunk[]
const choicesOf = (chunks: Chunk[], index = 0) =>
  chunks.flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index))
const textOf = (chunks: Chunk[], index = 0) =>
  choicesOf(chunks, index)
    .map((choice) => choice.delta.content ?? '')
    .join('')

/** Counts the deltas with a token: text that is not empty, or a piece of a tool call. */
const countDeltas = (chunks: Chunk[]) =>
  chunks
    .flatMap((chunk) => chunk.choices)
    .filter(({ delta }) => Boolean(delta.content) || delta.tool_calls !== undefined).length

it('pads its deltas unless the client does not want that', async () => {
  const paddings = async (stream_options: object) => {
    const events = await client.events(path, { model: 'sim/echo', messages, stream_options })
    const deltas = (events.filter((event) => event !== '[DONE]') as (Chunk & { obfuscation?: string })[]).filter(
      ({ choices }) => Boolean(choices[0]?.delta.content),
    )
    return new Set(deltas.map(({ obfuscation }) => typeof obfuscation))
  }
  expect(await paddings({})).toEqual(new Set(['string']))
  expect(await paddings({ include_obfuscation: false })).toEqual(new Set(['undefined']))
})

it('moderates what it is asked to moderate, in a chunk after the answer', async () => {
  const body = { model: 'sim/echo', messages, moderation: { model: 'omni-moderation-latest' } }
  const events = await client.events(path, body)
  const moderated = events.filter((event) => typeof event === 'object' && event !== null && 'moderation' in event)
  const results = { type: 'moderation_results', model: 'omni-moderation-latest', results: [{ flagged: false }] }
  expect(moderated).toMatchObject([{ choices: [], moderation: { input: results, output: results } }])
})

describe('streamed chat completions', () => {
  it('begin with the role, end with the finish reason, the usage and [DONE]', async () => {
    const response = await client.post(path, { model: 'sim/echo', messages, stream: true, max_tokens: 1, ...withUsage })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('content-length')).toBeNull()
    const [head, ...rest] = (await response.text()).split('\n\n')
    expect(JSON.parse(head!.slice('data: '.length))).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'sim/echo',
      service_tier: 'default',
      system_fingerprint: 'fp_simulated1',
      choices: [
        { index: 0, delta: { role: 'assistant', content: '', refusal: null }, logprobs: null, finish_reason: null },
      ],
      usage: null,
    })
    const last = rest.map((event) => event.slice('data: '.length)).slice(1)
    expect(JSON.parse(last[0]!).choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'length' }])
    expect(JSON.parse(last[1]!)).toMatchObject({ choices: [], usage: { completion_tokens: 1 } })
    expect(last.slice(2)).toEqual(['[DONE]', ''])
  })

  it.each([
    ['sim/large', {}],
    ['sim/small', { n: 3 }],
    ['sim/echo', {}],
    ['sim/judge', {}],
    ['sim/medium', { max_tokens: 7, n: 2 }],
    ['sim/medium', { response_format: { type: 'json_object' } }],
  ])('of %s %j join to the unstreamed answer, one token per delta', async (model, more) => {
    const plain = await client.json(path, { model, messages, ...more })
    const chunks = chunksOf(await client.events(path, { model, messages, ...more, ...withUsage }))
    for (const choice of plain.choices) {
      expect(textOf(chunks, choice.index)).toBe(choice.message.content)
      expect(choicesOf(chunks, choice.index).at(-1)?.finish_reason).toBe(choice.finish_reason)
    }
    expect(chunks.at(-1)?.usage).toEqual(plain.usage)
    expect(countDeltas(chunks)).toBe(plain.usage.completion_tokens)
  })

  it('contain tool calls in pieces, one token per delta', async () => {
    const body = { model: 'sim/tools', messages, tools: [weather], parallel_tool_calls: true }
    const plain = await client.json(path, body)
    const chunks = chunksOf(await client.events(path, { ...body, ...withUsage }))
    const pieces = choicesOf(chunks).flatMap((choice) => choice.delta.tool_calls ?? [])
    for (const [index, call] of plain.choices[0].message.tool_calls.entries()) {
      const own = pieces.filter((piece) => piece.index === index)
      expect(own[0]).toEqual({ index, id: call.id, type: 'function', function: { name: 'get_weather', arguments: '' } })
      expect(own.map((piece) => piece.function.arguments).join('')).toBe(call.function.arguments)
    }
    expect(countDeltas(chunks)).toBe(plain.usage.completion_tokens)
    expect(choicesOf(chunks).at(-1)?.finish_reason).toBe('tool_calls')
  })

  it('contain no usage unless requested', async () => {
    const chunks = chunksOf(await client.events(path, { model: 'sim/echo', messages }))
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false)
    expect(chunks.every((chunk) => chunk.choices.length > 0)).toBe(true)
  })

  it('contain log probabilities with each token', async () => {
    const chunks = chunksOf(await client.events(path, { model: 'sim/echo', messages, logprobs: true, max_tokens: 2 }))
    expect(choicesOf(chunks).map((choice) => choice.logprobs)).toEqual([
      null,
      { content: [expect.objectContaining({ token: 'How ' })], refusal: null },
      { content: [expect.objectContaining({ token: 'do g' })], refusal: null },
      null,
    ])
  })

  it('of sim/pace-<ms> take that time for each token, with 200 tokens or as many as requested', async () => {
    const begun = performance.now()
    const chunks = chunksOf(await client.events(path, { model: 'sim/pace-10', messages, max_tokens: 12 }))
    expect(performance.now() - begun).toBeGreaterThanOrEqual(115)
    expect(countDeltas(chunks)).toBe(12)
    expect(countDeltas(chunksOf(await client.events(path, { model: 'sim/pace-0', messages })))).toBe(200)
  })

  it('of a megabyte arrive completely', async () => {
    const content = 'long '.repeat(200_000)
    const chunks = chunksOf(await client.events(path, { model: 'sim/echo', messages: [{ role: 'user', content }] }))
    expect(textOf(chunks)).toBe(content)
  })
})
