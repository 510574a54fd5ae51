import { createUpstream } from '@ratchet/http/create-upstream'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import type { Dispatcher } from 'undici'
import type { Catalog } from '../../catalog/catalog.ts'
import { loadCatalog, simulatedCatalogDir } from '../../catalog/load-catalog.ts'
import { createChatStreamTracker } from '../../surfaces/chat/chat-tracker.ts'
import type { RequestFacts } from '../../surfaces/surface.ts'
import { wideLimits } from '../../wire/answer-limits.fixture.ts'
import { readUsage } from '../../wire/chat/read-usage.ts'
import type { Dialect } from '../../wire/dialect.ts'
import type { ProviderFailure, ProviderReply, RequestHints } from '../../wire/provider.ts'
import { anthropicProvider } from './anthropic-provider.ts'

let simulated: SimulatedProvider
let upstream: Dispatcher
let catalog: Catalog
beforeAll(async () => {
  simulated = await startSimulatedProvider()
  upstream = createUpstream({ origin: simulated.baseUrl, connections: 8, connectTimeoutMs: 1_000 })
  catalog = await loadCatalog(simulatedCatalogDir)
})
afterAll(async () => {
  await upstream.destroy()
  await simulated.stop()
})

interface Outcome {
  reply: ProviderReply | null
  stream: string
  failure: ProviderFailure | null
}

/** Makes one call and waits for its end. */
function run(dialect: Dialect, name: string, more: object = {}, hints?: RequestHints): Promise<Outcome> {
  const body = { model: name, messages: [{ role: 'user', content: 'Why is the sky blue?' }], ...more }
  const model = catalog.find(`sim-anthropic/${name}`)
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanJson(bytes, { maxDepth: 64, maxKeys: 10_000 })
  if (model === null || !scan.ok) throw new Error('the request of the test is invalid')
  const stream = 'stream' in body && body.stream === true
  const request = {
    requestId: 'req-1',
    dialect,
    model,
    bytes,
    scan,
    body,
    stream,
    limits: wideLimits,
    ...(hints === undefined ? {} : { hints }),
  }
  const clocks = { firstByteMs: 2_000, idleMs: 300, totalMs: 5_000 }
  const now = () => new Date('2026-11-21T00:00:00Z')
  const provider = anthropicProvider({ upstream, basePath: '/v1', apiKey: 'sk-ant-test', clocks, now })
  return new Promise((resolve) => {
    const outcome: Outcome = { reply: null, stream: '', failure: null }
    const chunks: Buffer[] = []
    const end = (more: Partial<Outcome>) => resolve({ ...outcome, stream: Buffer.concat(chunks).toString(), ...more })
    provider.start(request, {
      onReply: (reply) => end({ reply }),
      onStreamStart() {},
      onStreamData: (chunk) => chunks.push(chunk),
      onStreamEnd: () => end({}),
      onFailure: (failure) => end({ failure }),
    })
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
const bodyOf = ({ reply }: Outcome): any => JSON.parse(String(reply?.bytes))
// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
function framesOf({ stream }: Outcome): any[] {
  const events = createSseReader({ maxEventBytes: 1_000_000 }).push(Buffer.from(stream))
  return events.map(({ data }) => (String(data) === '[DONE]' ? '[DONE]' : JSON.parse(String(data))))
}
const deltasOf = (outcome: Outcome) => framesOf(outcome).flatMap(({ choices }) => choices?.[0]?.delta ?? [])
const joined = (outcome: Outcome, member: string) =>
  deltasOf(outcome)
    .map((delta) => delta[member] ?? '')
    .join('')
const usageOf = (outcome: Outcome) => readUsage(framesOf(outcome).findLast(({ usage }) => usage)?.usage)

/** The choices of a stream, assembled. */
function putTogether({ stream }: Outcome) {
  const tracker = createChatStreamTracker({ facts: { includeUsage: true } as RequestFacts, created: 0 })
  for (const event of createSseReader({ maxEventBytes: 1_000_000 }).push(Buffer.from(stream))) tracker.accept(event)
  return JSON.parse(String(tracker.assemble())).choices
}

const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
})

describe('chat completions over the Anthropic wire', () => {
  it('gives the same answer and usage unstreamed and streamed', async () => {
    await simulated.reset()
    const whole = await run('chat', 'large')
    const streamed = await run('chat', 'large', { stream: true })
    const { choices } = bodyOf(whole)
    expect(choices).toMatchObject([{ message: { role: 'assistant' }, finish_reason: 'stop' }])
    expect(choices[0].message.content).not.toBe('')
    expect(joined(streamed, 'content')).toBe(choices[0].message.content)
    expect(framesOf(streamed).at(-1)).toBe('[DONE]')
    const { requests } = await simulated.report()
    for (const { usage } of requests) {
      expect(whole.reply?.usage).toMatchObject({
        promptTokens: usage?.prompt_tokens,
        completionTokens: usage?.completion_tokens,
      })
    }
    expect(usageOf(streamed)).toEqual(whole.reply?.usage)
  })

  it('holds a conversation with parallel tool calls', async () => {
    const tools = { tools: [tool('get_weather'), tool('get_time')], parallel_tool_calls: true }
    const asked = await run('chat', 'tools', tools)
    const [{ message, finish_reason }] = bodyOf(asked).choices
    expect(finish_reason).toBe('tool_calls')
    expect(message.tool_calls).toHaveLength(2)
    const streamed = await run('chat', 'tools', { ...tools, stream: true })
    const pieces = deltasOf(streamed).flatMap(({ tool_calls }) => tool_calls ?? [])
    for (const [index, call] of message.tool_calls.entries()) {
      const text = pieces.map((piece) => (piece.index === index ? (piece.function.arguments ?? '') : '')).join('')
      expect(JSON.parse(text)).toEqual(JSON.parse(call.function.arguments))
    }
    const results = message.tool_calls.map(({ id }: { id: string }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'Fog.',
    }))
    const messages = [{ role: 'user', content: 'What is it like in Oslo?' }, message, ...results]
    const answered = await run('chat', 'tools', { ...tools, messages })
    expect(bodyOf(answered).choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.any(String) },
    })
  })

  it('sends structured output, images, limits and effort in the form that Anthropic accepts', async () => {
    await simulated.reset()
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    const outcome = await run('chat', 'medium', {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'reply', schema } },
      reasoning_effort: 'low',
      max_tokens: 700,
      stop: ['END'],
      temperature: 0.5,
      user: 'user-1',
    })
    expect(Object.keys(JSON.parse(bodyOf(outcome).choices[0].message.content))).toEqual(['answer'])
    expect((await simulated.report()).requests[0]?.parameters).toMatchObject({
      max_tokens: 700,
      output_config: { effort: 'low', format: { type: 'json_schema' } },
      thinking: { type: 'adaptive' },
      stop_sequences: ['END'],
      temperature: 0.5,
      metadata: { user_id: 'user-1' },
    })
  })

  it.each([false, true])('continues a conversation with tools and a thinking budget, streamed: %s', async (stream) => {
    await simulated.reset()
    const asked = { tools: [tool('get_weather')], reasoning_effort: 'low' }
    const answer = await run('chat', 'budget-tools', { ...asked, stream })
    const [{ message }] = stream ? putTogether(answer) : bodyOf(answer).choices
    const results = [{ role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'Fog.' }]
    const question = { role: 'user', content: 'What is it like in Oslo?' }
    const { reasoning_details, ...bare } = message
    expect(reasoning_details).toMatchObject([{ type: 'reasoning.text', text: expect.any(String) }])
    for (const said of [message, bare]) {
      const { reply } = await run('chat', 'budget-tools', { ...asked, messages: [question, said, ...results] })
      expect(reply).not.toBeNull()
    }
    const thoughts = (await simulated.report()).requests.map(({ parameters }) => parameters?.thinking)
    const thinking = expect.objectContaining({ type: 'enabled' })
    expect(thoughts).toEqual([thinking, thinking, undefined])
  })

  it('ends at the limit with length', async () => {
    expect(bodyOf(await run('chat', 'large', { max_tokens: 3 })).choices[0].finish_reason).toBe('length')
  })

  it('returns and counts thinking', async () => {
    const whole = await run('chat', 'reasoning-8')
    expect(bodyOf(whole).choices[0].message.reasoning_content).not.toBe('')
    expect(whole.reply?.usage?.reasoningTokens).toBe(8)
    const streamed = await run('chat', 'reasoning-8', { stream: true })
    expect(joined(streamed, 'reasoning_content')).toBe(bodyOf(whole).choices[0].message.reasoning_content)
  })

  it('distinguishes cached tokens, zero usage and missing usage', async () => {
    for (const stream of [false, true]) {
      const usageFrom = async (name: string) => {
        const outcome = await run('chat', name, { stream })
        return stream ? usageOf(outcome) : outcome.reply?.usage
      }
      expect(await usageFrom('cached-4')).toMatchObject({ cachedPromptTokens: 4 })
      expect(await usageFrom('zero-usage')).toMatchObject({ promptTokens: 0, completionTokens: 0 })
      expect(await usageFrom('no-usage')).toBeNull()
    }
  })

  it('refuses what Anthropic does not support without a call', async () => {
    await simulated.reset()
    const { failure } = await run('chat', 'large', { seed: 7 })
    expect(failure).toMatchObject({ kind: 'refused', code: 'unsupported_parameter', param: 'seed' })
    expect((await simulated.report()).totals.requests).toBe(0)
  })
})

describe('messages over the Anthropic wire', () => {
  it('passes an answer on unchanged, and reads its usage', async () => {
    const whole = await run('messages', 'large', { max_tokens: 500 })
    expect(bodyOf(whole)).toMatchObject({ type: 'message', content: [{ type: 'text' }] })
    expect(whole.reply?.usage?.promptTokens).toBeGreaterThan(0)
    const frames = framesOf(await run('messages', 'large', { max_tokens: 500, stream: true }))
    expect([frames[0].type, frames.at(-1).type]).toEqual(['message_start', 'message_stop'])
    expect(frames.map(({ delta }) => delta?.text ?? '').join('')).toBe(bodyOf(whole).content[0].text)
  })

  it('sends the client`s own parameters with the provider`s name of the model, without the fallbacks', async () => {
    await simulated.reset()
    await run('messages', 'large', { max_tokens: 500, models: ['a', 'b'], top_k: 5 })
    const [request] = (await simulated.report()).requests
    expect(request?.model).toBe('sim-anthropic/large')
    expect(request?.parameters).toEqual({ max_tokens: 500, top_k: 5 })
  })

  it('sends the beta features that the client requests, and refuses those that cost extra', async () => {
    await simulated.reset()
    await run('messages', 'large', { max_tokens: 500 }, { anthropicBeta: 'claude-code-20250219, pdfs-2024-09-25' })
    const { failure } = await run('messages', 'large', { max_tokens: 500 }, { anthropicBeta: 'context-1m-2025-08-07' })
    expect(failure).toMatchObject({ kind: 'refused', code: 'unsupported_parameter', param: 'anthropic-beta' })
    const { requests } = await simulated.report()
    expect(requests.map(({ headers }) => headers['anthropic-beta'])).toEqual(['claude-code-20250219,pdfs-2024-09-25'])
  })

  it('continues a conversation with answers of other models', async () => {
    const messages = [
      { role: 'user', content: 'What is it like in Oslo?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: '' },
          { type: 'tool_use', id: 'functions.get_weather:0', name: 'get_weather', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.get_weather:0', content: 'Fog.' }] },
    ]
    const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }]
    const thinking = { type: 'enabled', budget_tokens: 1_024 }
    const { reply } = await run('messages', 'budget-tools', { max_tokens: 2_000, thinking, tools, messages })
    expect(reply).not.toBeNull()
  })

  it('refuses what costs extra without a call', async () => {
    const { failure } = await run('messages', 'large', { max_tokens: 5, tools: [{ type: 'web_search_20250305' }] })
    expect(failure).toMatchObject({ kind: 'refused', code: 'unsupported_tool', param: 'tools.0.type' })
  })
})

describe.each<Dialect>(['chat', 'messages'])('failures, reported in %s', (dialect) => {
  const call = (name: string, more: object = {}) => run(dialect, name, { max_tokens: 500, ...more })

  it.each([
    ['fail-400', 'refused'],
    ['fail-401', 'misconfigured'],
    ['fail-404', 'misconfigured'],
    ['fail-429', 'throttled'],
    ['fail-500', 'unavailable'],
    ['fail-529', 'unavailable'],
    ['hangup', 'unavailable'],
    ['malformed', 'broken'],
    ['errorframe', 'broken'],
    ['errorfirst', 'broken'],
    ['cut-20', 'broken'],
    ['stall-20', 'timed_out'],
  ])('%s is %s', async (name, kind) => {
    expect((await call(name)).failure?.kind).toBe(kind)
  })

  it('passes on Retry-After of a rate limit', async () => {
    expect((await call('fail-429')).failure?.retryAfterMs).toBe(1_000)
  })

  it.each([
    ['cut-600', 'broken'],
    ['stall-600', 'timed_out'],
  ])('%s breaks a stream off as %s', async (name, kind) => {
    const { stream, failure } = await call(name, { stream: true })
    expect(stream).not.toBe('')
    expect(failure?.kind).toBe(kind)
  })
})

it('reports a chat stream that begins with an error as that error', async () => {
  expect(framesOf(await run('chat', 'errorfirst', { stream: true }))).toEqual([{ error: expect.any(Object) }])
})

it.each(['errorframe', 'malformed'])('a chat stream of %s ends with an error frame', async (name) => {
  const frames = framesOf(await run('chat', name, { stream: true }))
  expect(frames.at(-1)).toMatchObject({ error: { message: expect.any(String) } })
  expect(frames.some(({ choices }) => choices?.[0]?.delta.content)).toBe(true)
})
