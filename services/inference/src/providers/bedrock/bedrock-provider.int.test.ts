import { createUpstream } from '@ratchet/http/create-upstream'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { eventually } from '@ratchet/testing/eventually'
import type { Dispatcher } from 'undici'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { wideLimits } from '../../wire/answer-limits.fixture.ts'
import { replyLimits } from '../../wire/chat/read-reply.ts'
import type { Body } from '../../wire/dialect.ts'
import type { ProviderFailure, ProviderReply, ProviderRequest } from '../../wire/provider.ts'
import type { BedrockCredentials } from './bedrock-credentials.ts'
import { bedrockProvider } from './bedrock-provider.ts'

const bearer: BedrockCredentials = { kind: 'bearer', key: 'bedrock-api-key', region: null }
/** The access key whose signatures the simulated provider verifies. */
const signing: BedrockCredentials = {
  kind: 'signature',
  accessKeyId: 'SIM',
  secretAccessKey: 'simulated',
  sessionToken: 'session',
  region: null,
}
const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }
const messages = [{ role: 'user', content: 'Why is the sky blue?' }]
const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}

let simulated: SimulatedProvider
let upstream: Dispatcher
beforeAll(async () => {
  simulated = await startSimulatedProvider()
  upstream = createUpstream({ origin: simulated.baseUrl, connections: 4, connectTimeoutMs: 1_000 })
})
afterAll(async () => {
  await upstream.destroy()
  await simulated.stop()
})

function requestOf(name: string, more: Body): ProviderRequest {
  const id = `sim-bedrock/${name}`
  const body = { model: id, messages, ...more }
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) throw new Error(scan.reason)
  const model = modelOf({ upstream_model: id })
  const stream = more.stream === true
  return { requestId: 'req1', dialect: 'chat', model, bytes, scan, body, stream, limits: wideLimits }
}

interface Heard {
  readonly reply: ProviderReply | null
  readonly text: string
  readonly ended: boolean
  readonly failure: ProviderFailure | null
}

/** Makes one call and waits for its end. */
function call(name: string, more: Body = {}, credentials: BedrockCredentials = signing): Promise<Heard> {
  return new Promise((resolve) => {
    let text = ''
    const end = (heard: Partial<Heard>) => resolve({ reply: null, text, ended: false, failure: null, ...heard })
    start(name, more, credentials).listen({
      onReply: (reply) => end({ reply }),
      onStreamStart() {},
      onStreamData: (chunk) => {
        text += chunk.toString()
      },
      onStreamEnd: () => end({ ended: true }),
      onFailure: (failure) => end({ failure }),
    })
  })
}

function start(name: string, more: Body, credentials: BedrockCredentials) {
  const { host } = new URL(simulated.baseUrl)
  const now = () => new Date()
  const provider = bedrockProvider({ upstream, host, basePath: '', credentials, region: 'us-east-1', clocks, now })
  return { listen: (listener: Parameters<typeof provider.start>[1]) => provider.start(requestOf(name, more), listener) }
}

const chatOf = ({ reply }: Heard) => JSON.parse(reply?.bytes.toString() ?? 'null')
// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
const framesOf = ({ text }: Heard): any[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => frame.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)))
const textOf = (heard: Heard) =>
  framesOf(heard)
    .map((frame) => frame.choices?.[0]?.delta?.content ?? '')
    .join('')

describe('bedrockProvider', () => {
  it.each([
    ['a signature', signing],
    ['an API key', bearer],
  ])('answers unstreamed and streamed, authorized by %s', async (_name, credentials) => {
    const whole = await call('large', { max_tokens: 20 }, credentials)
    expect(whole.failure).toBeNull()
    expect(chatOf(whole).choices[0]).toMatchObject({ finish_reason: 'length', message: { role: 'assistant' } })
    expect(whole.reply?.usage).toMatchObject({ completionTokens: 20 })
    const streamed = await call('large', { max_tokens: 20, stream: true }, credentials)
    expect(textOf(streamed)).toBe(chatOf(whole).choices[0].message.content)
    expect(framesOf(streamed).at(-2).usage).toEqual(chatOf(whole).usage)
    expect(framesOf(streamed).at(-1)).toBe('[DONE]')
    expect(streamed.ended).toBe(true)
  })

  it('is refused with the wrong secret', async () => {
    const wrong = { ...signing, secretAccessKey: 'guessed' }
    expect((await call('large', {}, wrong)).failure).toMatchObject({ kind: 'misconfigured' })
  })

  it('calls tools and receives their results', async () => {
    const whole = await call('tools', { tools: [weather] })
    const { message, finish_reason } = chatOf(whole).choices[0]
    expect(finish_reason).toBe('tool_calls')
    expect(message.tool_calls).toMatchObject([{ type: 'function', function: { name: 'weather' } }])
    const streamed = framesOf(await call('tools', { tools: [weather], stream: true }))
    const pieces = streamed.flatMap((frame) => frame.choices?.[0]?.delta?.tool_calls ?? [])
    expect(pieces.map((piece) => piece.function.arguments).join('')).toBe(message.tool_calls[0].function.arguments)
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'It is sunny.' }
    const answer = await call('tools', { tools: [weather], messages: [...messages, message, result] })
    expect(chatOf(answer).choices[0].finish_reason).toBe('stop')
  })

  it('follows a schema, reads images and the system prompt, and stops at stop sequences', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const response_format = { type: 'json_schema', json_schema: { name: 'place', schema } }
    const fitted = chatOf(await call('large', { response_format })).choices[0].message.content
    expect(JSON.parse(fitted)).toEqual({ city: expect.any(String) })
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const seen = [
      { role: 'system', content: 'Look.' },
      { role: 'user', content: [{ type: 'text', text: 'one two three' }, image] },
    ]
    const echoed = chatOf(await call('echo', { messages: seen, stop: [' three'] }))
    expect(echoed.choices[0].message.content).toBe('one two')
    expect(echoed.usage.prompt_tokens).toBeGreaterThan(85)
  })

  it('returns reasoning and cached tokens', async () => {
    expect(chatOf(await call('reasoning-8')).choices[0].message.reasoning_content).not.toBe('')
    const thoughts = framesOf(await call('reasoning-8', { stream: true }))
    expect(thoughts.some((frame) => frame.choices?.[0]?.delta?.reasoning_content !== undefined)).toBe(true)
    const prompt = (await call('large')).reply?.usage?.promptTokens
    expect((await call('cached-4')).reply?.usage).toMatchObject({ promptTokens: prompt, cachedPromptTokens: 4 })
  })

  it('distinguishes missing usage from zero usage', async () => {
    expect((await call('no-usage')).reply?.usage).toBeNull()
    expect((await call('zero-usage')).reply?.usage).toMatchObject({ promptTokens: 0, completionTokens: 0 })
    const frames = framesOf(await call('no-usage', { stream: true }))
    expect(frames.filter((frame) => frame.usage !== undefined)).toEqual([])
    expect(frames.at(-1)).toBe('[DONE]')
  })

  it.each([
    ['fail-400', 'refused'],
    ['fail-401', 'misconfigured'],
    ['fail-403', 'misconfigured'],
    ['fail-404', 'misconfigured'],
    ['fail-408', 'unavailable'],
    ['fail-429', 'throttled'],
    ['fail-500', 'unavailable'],
    ['fail-502', 'unavailable'],
    ['fail-503', 'unavailable'],
    ['hangup', 'unavailable'],
    ['malformed', 'broken'],
    ['errorframe', 'broken'],
    ['cut-40', 'broken'],
  ])('%s is %s', async (name, kind) => {
    expect((await call(name)).failure?.kind).toBe(kind)
  })

  it("passes on Retry-After, and the provider's message when the request is wrong", async () => {
    expect((await call('fail-429')).failure?.retryAfterMs).toBe(1_000)
    const { failure } = await call('large', { temperature: 1.5 })
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('temperature') })
  })

  it('reports only an error when a stream begins with one', async () => {
    expect(framesOf(await call('errorfirst', { stream: true }))).toEqual([{ error: expect.anything() }])
  })

  it.each([
    ['malformed', true],
    ['errorframe', true],
    ['cut-700', false],
  ])('never completes a stream with %s', async (name, ended) => {
    const heard = await call(name, { stream: true })
    const frames = framesOf(heard)
    expect(frames).not.toContain('[DONE]')
    expect(heard.ended).toBe(ended)
    if (ended) expect(frames.at(-1)).toEqual({ error: expect.objectContaining({ type: 'upstream_error' }) })
    else expect(heard.failure?.kind).toBe('broken')
  })

  it('refuses, by its path and without a call, what Bedrock does not support', async () => {
    await simulated.reset()
    const url = 'https://example.com/cat.png'
    const picture = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    expect((await call('large', { messages: picture })).failure).toMatchObject({
      kind: 'refused',
      code: 'unsupported_parameter',
      param: 'messages.0.content.0.image_url',
    })
    expect((await simulated.report()).requests).toEqual([])
  })

  it('sends nothing when it is aborted before the request was signed', async () => {
    await simulated.reset()
    const failures: string[] = []
    const listener = { onReply() {}, onStreamStart() {}, onStreamData() {}, onStreamEnd() {} }
    const onFailure = ({ kind }: ProviderFailure) => failures.push(kind)
    start('large', {}, signing)
      .listen({ ...listener, onFailure })
      .abort()
    expect(failures).toEqual(['aborted'])
    await call('echo')
    expect((await simulated.report()).requests.map(({ model }) => model)).toEqual(['sim-bedrock/echo'])
    expect(failures).toEqual(['aborted'])
  })

  it('can be aborted inside a stream', async () => {
    await simulated.reset()
    const kind = await new Promise<string>((resolve) => {
      const running = start('pace-20', { stream: true }, signing).listen({
        onReply() {},
        onStreamStart() {},
        onStreamData: () => running.abort(),
        onStreamEnd() {},
        onFailure: (failure) => resolve(failure.kind),
      })
    })
    expect(kind).toBe('aborted')
    await eventually(async () => {
      expect((await simulated.report()).requests[0]).toMatchObject({ peer_left_at_ms: expect.any(Number) })
    })
  })
})
