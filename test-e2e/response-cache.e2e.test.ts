import { Anthropic } from '@anthropic-ai/sdk'
import { eventually } from '@ratchet/testing/eventually'
import type { OpenAI } from 'openai'
import { openaiFor } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

const on = { 'x-svc-cache': 'on' }
let questions = 0

/** Creates a prompt that was not sent before. */
function question(): string {
  questions += 1
  return `Why is the sky blue (${questions})?`
}

interface Sent {
  readonly path?: string
  readonly body: Readonly<Record<string, unknown>> | string
  readonly headers?: Readonly<Record<string, string>>
  readonly apiKey?: string
}

async function send({ path = '/v1/chat/completions', body, headers = on, apiKey = fleet.workspace.apiKey }: Sent) {
  const response = await fetch(`${fleet.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const header = (name: string) => response.headers.get(name)
  return {
    status: response.status,
    text,
    cache: header('x-svc-cache'),
    served: header('x-svc-served-model'),
    cost: header('x-svc-cost-usd'),
    fallbackFrom: header('x-svc-fallback-from'),
  }
}

function chat(change: Readonly<Record<string, unknown>> = {}) {
  return { model: 'sim/echo', messages: [{ role: 'user', content: question() }], ...change }
}

function ledgerState() {
  return readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
}

async function providerCalls(): Promise<number> {
  return (await fleet.provider.report()).totals.requests
}

/** Assembles the answer of a chat stream. */
function reported(stream: string): string {
  const frames = stream.split('\n\n').filter((frame) => frame.startsWith('data: {'))
  return frames.map((frame) => JSON.parse(frame.slice(6)).choices[0]?.delta.content ?? '').join('')
}

/** Normalizes the text of a message: without text, a stream has an empty string or null. */
function said({ message, finish_reason, index }: OpenAI.ChatCompletion.Choice) {
  return { index, finish_reason, message: { ...message, content: message.content ?? '' } }
}

describe('the cache of answers', () => {
  it('is off by default: the same request is answered and charged twice', async () => {
    const body = chat()
    const before = await ledgerState()
    for (let i = 0; i < 2; i++) expect(await send({ body, headers: {} })).toMatchObject({ status: 200, cache: 'off' })
    expect((await ledgerState()).posted - before.posted).toBe(2)
  })

  it('answers the same request again free of charge, without the provider, with the same bytes', async () => {
    const body = chat()
    const first = await send({ body })
    const [before, calls] = [await ledgerState(), await providerCalls()]
    const second = await send({ body })
    expect([first.cache, second.cache]).toEqual(['miss', 'hit'])
    expect(second).toMatchObject({ status: 200, served: 'sim/echo', cost: '0.00' })
    const { usage, ...rest } = JSON.parse(second.text)
    const { usage: paid, ...same } = JSON.parse(first.text)
    expect(rest).toEqual(same)
    expect(paid.cost_usd).toBeGreaterThan(0)
    expect(usage).toEqual({ ...paid, cost_usd: 0 })
    expect([await ledgerState(), await providerCalls()]).toEqual([before, calls])
  })

  it('follows the workspace`s setting, unless a header overrides it', async () => {
    const { apiKey } = await workspaceWith(fleet, { responseCache: true })
    const body = chat()
    const asks = [{}, {}, { 'x-svc-cache': 'off' }, { 'x-svc-cache': 'ON' }]
    const seen: unknown[] = []
    for (const headers of asks) seen.push((await send({ body, headers, apiKey })).cache)
    expect(seen).toEqual(['miss', 'hit', 'off', 'hit'])
  })

  it('stores an answer for the requested time', async () => {
    const body = chat()
    const headers = { ...on, 'x-svc-cache-ttl': '1' }
    const first = await send({ body, headers })
    const second = await send({ body, headers })
    expect([first.cache, second.cache]).toEqual(['miss', 'hit'])
    await eventually(async () => (await send({ body, headers })).cache === 'miss', { everyMs: 100 })
  })

  it.each([
    ['x-svc-cache', { 'x-svc-cache': 'maybe' }, 'X-Svc-Cache'],
    ['x-svc-cache-ttl', { ...on, 'x-svc-cache-ttl': '0' }, 'X-Svc-Cache-Ttl'],
    ['x-svc-cache-ttl', { ...on, 'x-svc-cache-ttl': '1.5' }, 'X-Svc-Cache-Ttl'],
  ])('refuses an invalid header: %s', async (_name, headers, param) => {
    const calls = await providerCalls()
    const answer = await send({ body: chat(), headers })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text).error).toMatchObject({ code: 'invalid_request', param })
    expect(await providerCalls()).toBe(calls)
  })
})

describe('a request counts as the same', () => {
  it('with another order of keys, other white space, streamed or not, or other fallbacks', async () => {
    const content = question()
    const text = `{"model":"sim/echo","messages":[{"role":"user","content":"${content}"}],"seed":1}`
    const shuffled = `{ "seed": 1,\n "messages": [ {"content":"${content}", "role":"user"} ], "model": "sim/echo" }`
    const streamed = text.replace('{', '{"stream":true,"stream_options":{"include_usage":true},')
    const others = text.replace('{', '{"models":["sim/small"],')
    const seen: unknown[] = []
    for (const body of [text, shuffled, streamed, others]) seen.push((await send({ body })).cache)
    expect(seen).toEqual(['miss', 'hit', 'hit', 'hit'])
  })

  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]

  it.each([
    ['temperature', { temperature: 0.5 }],
    ['seed', { seed: 2 }],
    ['tools', { tools }],
    ['max_tokens', { max_tokens: 5 }],
    ['n', { n: 2 }],
    ['an unknown parameter', { x_unknown: true }],
    ['model', { model: 'sim/small' }],
  ])('but not with another %s', async (_name, change) => {
    const body = chat()
    expect((await send({ body })).cache).toBe('miss')
    expect((await send({ body: { ...body, ...change } })).cache).toBe('miss')
    expect((await send({ body })).cache).toBe('hit')
  })

  it('but not in another workspace', async () => {
    const { apiKey } = await workspaceWith(fleet)
    const body = chat()
    await send({ body })
    expect((await send({ body, apiKey })).cache).toBe('miss')
  })
})

/** Reads until two answers are the same one. The end of a stream reaches its client a moment before the cache has it. */
async function readUntilKept<Answer extends { readonly id: string }>(
  read: () => Promise<Answer>,
): Promise<readonly [Answer, Answer]> {
  let first = await read()
  const second = await eventually(async () => {
    const next = await read()
    if (next.id === first.id) return next
    first = next
    return null
  })
  return [first, second]
}

describe('a stream', () => {
  it('of a model can be an unstreamed answer from the cache, and the reverse', async () => {
    const [body, reverse] = [chat({ model: 'sim/large' }), chat({ model: 'sim/large' })]
    const streamed = await send({ body: { ...body, stream: true } })
    const plain = await send({ body })
    expect([streamed.cache, plain.cache]).toEqual(['miss', 'hit'])
    expect(JSON.parse(plain.text).choices[0].message.content).toBe(reported(streamed.text))
    const first = await send({ body: reverse })
    const again = await send({ body: { ...reverse, stream: true } })
    expect([first.cache, again.cache]).toEqual(['miss', 'hit'])
    expect(reported(again.text)).toBe(JSON.parse(first.text).choices[0].message.content)
    expect(again.text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(again.text).not.toContain('"choices":[]')
  })

  const tool = { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }

  it.each(['sim/tools', 'sim-anthropic/tools', 'sim-google/tools', 'sim-bedrock/tools'])(
    'of tool calls reads the same from the cache with OpenAI`s SDK: %s',
    async (model) => {
      const request = {
        model,
        messages: [{ role: 'user' as const, content: question() }],
        tools: [{ type: 'function' as const, function: tool }],
        stream_options: { include_usage: true },
      }
      const read = () => openaiFor(fleet).chat.completions.stream(request, { headers: on }).finalChatCompletion()
      const [first, second] = await readUntilKept(read)
      expect(first.choices[0]?.message.tool_calls).toHaveLength(1)
      expect(second.choices.map(said)).toEqual(first.choices.map(said))
      expect(second.usage).toMatchObject({ ...first.usage, cost_usd: 0 })
    },
  )

  it.each(['sim/large', 'sim-anthropic/large', 'sim-bedrock/large'])(
    'of a message reads the same from the cache with Anthropic`s SDK: %s',
    async (model) => {
      const client = new Anthropic({
        baseURL: fleet.url,
        authToken: fleet.workspace.apiKey,
        apiKey: null,
        maxRetries: 0,
      })
      const body = { model, max_tokens: 200, messages: [{ role: 'user' as const, content: question() }] }
      const plain = await client.messages.create(body, { headers: on })
      const streamed = await client.messages.stream(body, { headers: on }).finalMessage()
      expect(streamed.content).toEqual(plain.content)
      expect(streamed).toMatchObject({ id: plain.id, stop_reason: plain.stop_reason, role: 'assistant' })
      expect(streamed.usage.output_tokens).toBe(plain.usage.output_tokens)
    },
  )

  it.each(['sim/large', 'sim-anthropic/large'])(
    'of a response reads the same from the cache with OpenAI`s SDK: %s',
    async (model) => {
      const body = { model, input: question(), store: false }
      const read = () => openaiFor(fleet).responses.stream(body, { headers: on }).finalResponse()
      const [first, second] = await readUntilKept(read)
      const calls = await providerCalls()
      expect(second).toMatchObject({ id: first.id, output: first.output, status: 'completed' })
      expect(first.output_text.length).toBeGreaterThan(10)
      expect((await read()).id).toBe(first.id)
      expect(await providerCalls()).toBe(calls)
    },
  )
})

describe.each([
  ['/v1/messages', () => ({ model: 'sim/small', max_tokens: 50, messages: [{ role: 'user', content: question() }] })],
  ['/v1/responses', () => ({ model: 'sim/small', input: question(), store: false })],
  ['/v1/embeddings', () => ({ model: 'sim/embed', input: question() })],
  ['/v1/rerank', () => ({ model: 'sim/rerank', query: question(), documents: ['sky', 'sea'] })],
])('%s', (path, ask) => {
  it('receives its second answer from the cache, free of charge', async () => {
    const body = ask()
    const first = await send({ path, body })
    const before = await ledgerState()
    const second = await send({ path, body })
    expect([first.cache, second.cache, second.cost]).toEqual(['miss', 'hit', '0.00'])
    const { usage: _first, ...same } = JSON.parse(first.text)
    const { usage, ...rest } = JSON.parse(second.text)
    expect(rest).toEqual(same)
    expect(usage.cost_usd).toBe(0)
    expect(await ledgerState()).toEqual(before)
  })
})

describe('not stored is', () => {
  it('the answer of a fallback', async () => {
    const body = chat({ model: 'sim/fail-500', models: ['sim/echo'] })
    for (let i = 0; i < 2; i++) {
      expect(await send({ body })).toMatchObject({ status: 200, cache: 'miss', fallbackFrom: 'sim/fail-500' })
    }
  })

  it('an error, or a broken stream', async () => {
    const body = chat()
    await fleet.provider.script({ model: 'sim/echo', behaviour: 'fail-400' })
    expect(await send({ body })).toMatchObject({ status: 400, cache: null })
    await fleet.provider.script({ model: 'sim/echo', behaviour: 'cut-900' })
    await expect(send({ body: { ...body, stream: true } })).rejects.toThrow()
    expect(await send({ body })).toMatchObject({ status: 200, cache: 'miss' })
    expect(await send({ body })).toMatchObject({ status: 200, cache: 'hit' })
  })
})

it('works without its cache while Redis is unavailable, and uses it again afterwards', async () => {
  const body = chat()
  await send({ body })
  await fleet.redis.refuse()
  const startedAt = performance.now()
  for (let i = 0; i < 3; i++) expect(await send({ body })).toMatchObject({ status: 200, cache: 'miss' })
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  await fleet.redis.restore()
  await eventually(async () => (await send({ body })).cache === 'hit', { withinMs: 45_000, everyMs: 100 })
})
