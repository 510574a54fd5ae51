import { createUpstream } from '@ratchet/http/create-upstream'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import type { Pool } from 'undici'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { wideLimits } from '../../wire/answer-limits.fixture.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { Dialect } from '../../wire/dialect.ts'
import type { ProviderFailure, ProviderReply } from '../../wire/provider.ts'
import { googleProvider } from './google-provider.ts'

let provider: SimulatedProvider
let upstream: Pool
beforeAll(async () => {
  provider = await startSimulatedProvider()
  upstream = createUpstream({ origin: provider.baseUrl, connections: 4, connectTimeoutMs: 1_000 })
})
afterAll(async () => {
  await upstream.destroy()
  await provider.stop()
})

const messages = [{ role: 'user', content: 'Why is the sky blue?' }]
const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
})

describe('googleProvider, answered by the simulated provider', () => {
  it('gives the same answer unstreamed and streamed', async () => {
    const whole = await ask('echo', { messages })
    expect(whole.reply?.usage).toMatchObject({ promptTokens: 11, completionTokens: 5 })
    expect(whole.body).toMatchObject({
      created: 1_760_000_000,
      model: 'sim-google/echo',
      choices: [{ message: { content: 'Why is the sky blue?' }, finish_reason: 'stop' }],
    })
    const streamed = await ask('echo', { messages, stream: true })
    expect(streamed).toMatchObject({ ended: true, failure: null })
    expect(streamed.frames.map((frame) => frame.choices?.[0]?.delta.content ?? '').join('')).toBe(
      'Why is the sky blue?',
    )
    expect(streamed.frames.at(-2)?.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 5 })
    expect(streamed.frames.at(-1)).toBe('[DONE]')
  })

  it('continues a conversation with calls and their results, also streamed', async () => {
    const tools = [tool('get_weather'), tool('get_time')]
    const first = await ask('tools', { messages, tools })
    const { message, finish_reason: reason } = first.body.choices[0]
    expect(reason).toBe('tool_calls')
    expect(message.tool_calls[0].extra_content.google.thought_signature).toMatch(/\S/)
    const streamed = await ask('tools', { messages, tools, stream: true })
    const calls = streamed.frames.flatMap((frame) => frame.choices?.[0]?.delta.tool_calls ?? [])
    expect(calls.filter(({ id }) => id !== undefined)).toMatchObject(
      message.tool_calls.map((call: { id: string }, index: number) => ({ index, id: call.id })),
    )
    const results = message.tool_calls.map(({ id }: { id: string }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'ok',
    }))
    const second = await ask('tools', { messages: [...messages, message, ...results], tools })
    expect(second.body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.any(String) } })
  })

  it('returns thoughts when an effort is requested, and always counts them', async () => {
    const aloud = await ask('reasoning-16', { messages, reasoning_effort: 'low' })
    expect(aloud.body.choices[0].message.reasoning_content).toMatch(/\S/)
    const silent = await ask('reasoning-16', { messages })
    expect(silent.body.choices[0].message).not.toHaveProperty('reasoning_content')
    for (const { reply } of [aloud, silent]) expect(reply?.usage?.reasoningTokens).toBe(16)
    expect((await ask('cached-4', { messages })).reply?.usage?.cachedPromptTokens).toBe(4)
  })

  it('distinguishes missing usage from zero usage', async () => {
    expect((await ask('no-usage', { messages })).reply?.usage).toBeNull()
    expect((await ask('zero-usage', { messages })).reply?.usage).toMatchObject({ promptTokens: 0, completionTokens: 0 })
    const frames = (await ask('no-usage', { messages, stream: true })).frames
    expect(frames.some((frame) => frame.usage !== undefined)).toBe(false)
  })

  it.each([
    ['fail-400', 'refused'],
    ['fail-401', 'misconfigured'],
    ['fail-404', 'misconfigured'],
    ['fail-429', 'throttled'],
    ['fail-503', 'unavailable'],
    ['hangup', 'unavailable'],
    ['cut-100', 'broken'],
    ['malformed', 'broken'],
    ['errorframe', 'broken'],
  ])('reports %s as %s', async (name, kind) => {
    expect((await ask(name, { messages })).failure?.kind).toBe(kind)
  })

  it('reports an invalid key as misconfigured', async () => {
    expect((await ask('echo', { messages }, { apiKey: 'invalid' })).failure?.kind).toBe('misconfigured')
  })

  it('refuses what Google does not support, without a call', async () => {
    await provider.reset()
    const { failure } = await ask('echo', { messages, n: 2 })
    expect(failure).toMatchObject({ kind: 'refused', code: 'unsupported_parameter', param: 'n' })
    expect((await provider.report()).requests).toHaveLength(0)
  })

  it('reports a stream that breaks as an error frame or a failure, and never ends it', async () => {
    for (const name of ['errorframe', 'malformed']) {
      const { frames } = await ask(name, { messages, stream: true })
      expect(frames.at(-1)).toMatchObject({ error: { type: 'upstream_error' } })
    }
    const { frames: only } = await ask('errorfirst', { messages, stream: true })
    expect(only).toEqual([{ error: expect.anything() }])
    const cut = await ask('cut-900', { messages, stream: true })
    expect(cut).toMatchObject({ failure: { kind: 'broken' }, ended: false })
    expect(cut.frames.length).toBeGreaterThan(0)
    expect(cut.frames).not.toContain('[DONE]')
  })

  it('embeds texts', async () => {
    const { reply, body } = await ask(
      'embed',
      { input: ['red apple', 'blue sky'], dimensions: 8 },
      { dialect: 'embeddings' },
    )
    expect(body.data.map(({ embedding }: { embedding: number[] }) => embedding.length)).toEqual([8, 8])
    expect(reply?.usage?.promptTokens).toBeGreaterThan(0)
  })
})

interface Heard {
  reply: ProviderReply | null
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
  body: any
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
  frames: any[]
  ended: boolean
  failure: ProviderFailure | null
}

interface AskOptions {
  readonly apiKey?: string
  readonly dialect?: Dialect
}

/** Calls a model of the simulated provider and collects all that the listener gets. */
function ask(name: string, request: object, { apiKey = 'key', dialect = 'chat' }: AskOptions = {}): Promise<Heard> {
  const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }
  const now = () => new Date(1_760_000_000_000)
  const google = googleProvider({ upstream, basePath: '/v1beta', apiKey, clocks, now })
  const bytes = Buffer.from(JSON.stringify({ model: `sim-google/${name}`, ...request }))
  const read = readObject(bytes)
  if (read === null) throw new Error('the request cannot be read')
  const model = modelOf({ upstream_model: `sim-google/${name}` })
  const stream = read.body.stream === true
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    const heard = (more: Partial<Heard>) =>
      resolve({ reply: null, body: null, frames: framesIn(chunks), ended: false, failure: null, ...more })
    google.start(
      { requestId: 'req-1', dialect, model, bytes, ...read, stream, limits: wideLimits },
      {
        onReply: (reply) => heard({ reply, body: JSON.parse(reply.bytes.toString()) }),
        onStreamStart() {},
        onStreamData: (chunk) => chunks.push(chunk),
        onStreamEnd: () => heard({ ended: true }),
        onFailure: (failure) => heard({ failure }),
      },
    )
  })
}

function framesIn(chunks: readonly Buffer[]): unknown[] {
  const frames = Buffer.concat(chunks).toString().split('\n\n')
  return frames
    .filter((frame) => frame !== '')
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice('data: '.length))))
}
