import { modelOf } from '../catalog/catalog.fixture.ts'
import { parseBody } from '../request/parse-body.ts'
import { wideLimits } from './answer-limits.fixture.ts'
import { readObject } from './chat/read-reply.ts'
import { createChunkWriter, writeChatReply } from './chat/write-chat.ts'
import type { Dialect } from './dialect.ts'
import { messagesOverChat } from './messages/messages-over-chat.ts'
import type { Provider, ProviderFailure, ProviderListener, ProviderRequest } from './provider.ts'
import { responsesOverChat } from './responses/responses-over-chat.ts'
import { noUsage } from './usage.ts'
import { withTranslations } from './with-translations.ts'

type Script = (listener: ProviderListener) => void

/** A provider that records the requests that it gets, in any of the given dialects. */
function speaking(dialects: readonly Dialect[], script: Script = () => undefined) {
  const asked: ProviderRequest[] = []
  const controls: string[] = []
  const provider: Provider = {
    dialects: new Set(dialects),
    start(request, listener) {
      asked.push(request)
      script(listener)
      const note = (name: string) => () => void controls.push(name)
      return { abort: note('abort'), pause: note('pause'), resume: note('resume') }
    },
  }
  return { asked, controls, provider: withTranslations(provider, [messagesOverChat, responsesOverChat]) }
}

const bodies = {
  chat: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  responses: { model: 'm', input: 'Hi' },
} as const

interface Asked {
  readonly capabilities?: readonly string[]
  readonly stream?: boolean
  readonly more?: object
}

function requestIn(
  dialect: keyof typeof bodies,
  { capabilities = ['chat'], stream = false, more = {} }: Asked = {},
): ProviderRequest {
  const read = parseBody(Buffer.from(JSON.stringify({ ...bodies[dialect], ...more, stream })))
  return { requestId: 'r1', dialect, model: modelOf({ capabilities }), stream, limits: wideLimits, ...read }
}

function collect(provider: Provider, request: ProviderRequest) {
  const received = { stream: '', ended: false, replies: [] as string[], failures: [] as ProviderFailure[] }
  const call = provider.start(request, {
    onReply: ({ bytes, usage }) => void received.replies.push(`${usage?.promptTokens} ${bytes}`),
    onStreamStart() {},
    onStreamData: (chunk) => {
      received.stream += chunk
    },
    onStreamEnd: () => {
      received.ended = true
    },
    onFailure: (failure) => void received.failures.push(failure),
  })
  return { received, call }
}

const head = { id: 'c1', created: 1, model: 'm' }
const usage = { ...noUsage, promptTokens: 5, completionTokens: 2 }

const replies: Script = ({ onReply }) => {
  const message = { text: 'Hello', toolCalls: [], finishReason: 'stop' as const }
  const bytes = writeChatReply(head, message, usage)
  const read = readObject(bytes)
  if (read !== null) onReply({ bytes, scan: read.scan, usage, pieces: ['Hello'] })
}

const streams: Script = ({ onStreamData, onStreamEnd }) => {
  const writer = createChunkWriter(head)
  const frames = [writer.role(), writer.text('Hel'), writer.text('lo'), writer.finish('stop'), writer.usage(usage)]
  for (const byte of Buffer.from(frames.join('') + writer.done())) onStreamData(Buffer.of(byte))
  onStreamEnd()
}

describe('withTranslations', () => {
  it('lists the dialects that a provider answers in', () => {
    const all = ['chat', 'embeddings', 'messages', 'responses']
    expect([...speaking(['chat', 'embeddings']).provider.dialects].sort()).toEqual(all)
    expect([...speaking(['rerank']).provider.dialects]).toEqual(['rerank'])
  })

  it.each<[string, readonly Dialect[], keyof typeof bodies, readonly string[], Dialect]>([
    ['chat as it is', ['chat'], 'chat', ['chat'], 'chat'],
    ['messages natively where the provider can', ['chat', 'messages'], 'messages', ['chat'], 'messages'],
    ['messages by way of chat where it cannot', ['chat'], 'messages', ['chat'], 'chat'],
    ['responses natively where the model can', ['chat', 'responses'], 'responses', ['chat', 'responses'], 'responses'],
    ['responses by way of chat where the model cannot', ['chat', 'responses'], 'responses', ['chat'], 'chat'],
    ['responses by way of chat where the provider cannot', ['chat'], 'responses', ['chat', 'responses'], 'chat'],
  ])('requests %s', (_name, dialects, dialect, capabilities, requested) => {
    const { provider, asked } = speaking(dialects)
    const request = requestIn(dialect, { capabilities })
    provider.start(request, {} as ProviderListener)
    expect(asked.map((each) => each.dialect)).toEqual([requested])
    if (requested === dialect) expect(asked[0]).toBe(request)
    else expect(asked[0]?.body.messages).toMatchObject([{ role: 'user', content: 'Hi' }])
  })

  it('does not add a dialect without a translation', () => {
    const { provider } = speaking(['rerank'])
    expect(() => provider.start(requestIn('chat'), {} as ProviderListener)).toThrow(/does not speak chat/)
  })
})

describe('a dialect that is translated to chat', () => {
  it.each([
    ['messages', { type: 'message', content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn' }],
    ['responses', { object: 'response', status: 'completed', output: [{ content: [{ text: 'Hello' }] }] }],
  ] as const)('has whole answers in its own words, and the usage they had: %s', (dialect, requested) => {
    const { received } = collect(speaking(['chat'], replies).provider, requestIn(dialect))
    const [reply = ''] = received.replies
    expect(reply).toMatch(/^5 \{/)
    expect(JSON.parse(reply.slice(2))).toMatchObject(requested)
  })

  it.each([
    ['messages', 'event: message_start', 'event: message_stop'],
    ['responses', 'event: response.created', 'event: response.completed'],
  ] as const)('has streams in its own words, however they were cut: %s', (dialect, first, last) => {
    const { received } = collect(speaking(['chat'], streams).provider, requestIn(dialect, { stream: true }))
    expect(received.stream.startsWith(first)).toBe(true)
    expect(received.stream).toContain(last)
    expect(received.stream).toContain('Hel')
    expect(received.ended).toBe(true)
  })

  it('fails without a retry when the answer cannot be read', () => {
    const unreadable: Script = ({ onReply }) =>
      onReply({ bytes: Buffer.from('{"choices":7}'), scan: requestIn('chat').scan, usage: null, pieces: [] })
    const { provider, asked } = speaking(['chat'], unreadable)
    const { received } = collect(provider, requestIn('messages'))
    expect(received.failures).toMatchObject([{ kind: 'broken' }])
    expect(asked).toHaveLength(1)
  })

  it('refuses a field without an equivalent, and calls no provider', () => {
    const { provider, asked } = speaking(['chat'])
    const more = { tools: [{ type: 'web_search_preview' }] }
    const { received, call } = collect(provider, requestIn('responses', { more }))
    expect(received.failures).toMatchObject([{ kind: 'refused', param: expect.stringContaining('tools.0') }])
    expect(asked).toEqual([])
    call.abort()
  })

  it('passes on the events of its listener and the control of the call', () => {
    const failing: Script = ({ onFailure }) => onFailure({ kind: 'throttled', message: 'slow', retryAfterMs: 9 })
    const { provider, controls } = speaking(['chat'], failing)
    const { received, call } = collect(provider, requestIn('messages', { stream: true }))
    expect(received.failures).toEqual([{ kind: 'throttled', message: 'slow', retryAfterMs: 9 }])
    call.pause()
    call.resume()
    call.abort()
    expect(controls).toEqual(['pause', 'resume', 'abort'])
  })
})
