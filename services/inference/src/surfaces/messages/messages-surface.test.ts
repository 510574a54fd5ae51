import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { readObject } from '../../wire/chat/read-reply.ts'
import {
  charged,
  chatSse,
  convert,
  eventsOf,
  fullMessage,
  fullStream,
  requestOf,
  usageOf,
} from '../../wire/messages/message-streams.fixture.ts'
import { messagesOverChat } from '../../wire/messages/messages-over-chat.ts'
import { messagesSurface } from './messages-surface.ts'

const context = { request: requestOf({ messages: [] }), facts: messagesSurface.readFacts(requestBody()), created: 0 }

function requestBody() {
  return { model: 'acme/fast', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }
}

function replyOf(message: object) {
  const bytes = Buffer.from(JSON.stringify(message))
  const read = readObject(bytes)
  if (read === null) throw new Error('not a JSON object')
  return { bytes, scan: read.scan }
}

/** The stream that a client gets when a provider's stream passes through the surface. */
function served(stream: string): string {
  const tracker = messagesSurface.stream?.createTracker(context, { recordsContent: true, reserve: undefined })
  const sent = eventsOf(stream).map((event) => {
    const verdict = tracker?.accept(event)
    return verdict === 'forward' ? event.raw.toString() : verdict instanceof Buffer ? verdict.toString() : ''
  })
  return sent.join('') + tracker?.tail({ ...charged, isReported: tracker.usage !== null })
}

/** Anthropic's own client, whose requests are answered with `bytes`. */
function clientOf(bytes: string | Buffer, type = 'text/event-stream') {
  const headers = { 'content-type': type }
  const fetch = async () => new Response(new Uint8Array(Buffer.from(bytes)), { headers })
  return new Anthropic({ apiKey: 'k', baseURL: 'https://gateway.test', maxRetries: 0, fetch })
}

const cost = { cost_usd: 0.000042 }

describe('finishReply', () => {
  it('adds the cost to usage and leaves the rest unchanged', () => {
    const bytes = '{"type":"message", "usage":{"output_tokens":1.0 },"content":[]}'
    const read = readObject(Buffer.from(bytes))
    const reply = read === null ? replyOf({}) : { bytes: Buffer.from(bytes), scan: read.scan }
    expect(String(messagesSurface.finishReply(reply, charged, context))).toBe(
      '{"type":"message", "usage":{"output_tokens":1.0,"cost_usd":0.000042 },"content":[]}',
    )
  })

  it('adds the counted usage when the provider gave none', () => {
    const own = { usage: usageOf(9, 4, { cachedPromptTokens: 3 }), isReported: false, chargedNano: 42_000n }
    const finished = messagesSurface.finishReply(replyOf({ type: 'message', content: [] }), own, context)
    expect(JSON.parse(String(finished)).usage).toMatchObject({
      input_tokens: 6,
      cache_read_input_tokens: 3,
      output_tokens: 4,
      ...cost,
    })
  })
})

describe('Anthropic`s own client', () => {
  it('reads a complete message', async () => {
    const finished = messagesSurface.finishReply(replyOf(fullMessage), charged, context)
    const message = await clientOf(finished, 'application/json').messages.create(requestBody())
    expect(message).toMatchObject({ ...fullMessage, usage: { ...fullMessage.usage, ...cost } })
  })

  it('assembles a native stream', async () => {
    const seen: string[] = []
    const stream = clientOf(served(fullStream)).messages.stream(requestBody())
    stream.on('text', (piece) => seen.push(piece))
    const { usage, ...message } = await stream.finalMessage()
    expect(message).toMatchObject({ content: fullMessage.content, stop_reason: 'tool_use' })
    expect(usage).toMatchObject({ input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 89 })
    expect(seen).toEqual(['Grüße, ', '世界 👋'])
  })

  it('assembles a replayed message', async () => {
    const replayed = messagesSurface.stream?.replay(replyOf(fullMessage), charged, context) ?? ''
    const message = await clientOf(replayed).messages.stream(requestBody()).finalMessage()
    expect(message).toMatchObject(fullMessage)
  })

  it.each([
    ['its usage', [{ choices: [], usage: { prompt_tokens: 125, completion_tokens: 89 } }]],
    ['none', []],
  ])('assembles a translated stream whose provider reports %s', async (_what, usage) => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({ choices: [{ delta, finish_reason }] })
    const call = (index: number, id: string, text: string) => ({
      tool_calls: [{ index, id, function: { name: 'f', arguments: text } }],
    })
    const chat = chatSse(
      chunk({ content: 'Hi', reasoning_content: 'Hm.' }),
      chunk(call(0, 'c0', '{"a"')),
      chunk(call(1, 'c1', '{"b":2}')),
      chunk(call(0, 'c0', ':1}')),
      chunk({}, 'tool_calls'),
      ...usage,
      '[DONE]',
    )
    const translated = convert(messagesOverChat.fromStream(requestOf({ messages: [], stream: true })), chat)
    const deltas: object[] = []
    const stream = clientOf(served(translated)).messages.stream(requestBody())
    stream.on('streamEvent', (event) => event.type === 'message_delta' && deltas.push(event.usage))
    expect(await stream.finalMessage()).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'c0', name: 'f', input: { a: 1 } },
        { type: 'tool_use', id: 'c1', name: 'f', input: { b: 2 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 125, output_tokens: 89 },
    })
    expect(deltas).toEqual([expect.objectContaining(cost)])
  })

  it('throws the error of an error frame', async () => {
    const error = { message: 'The provider broke off.', type: 'upstream_error', code: null, request_id: 'r1' }
    const stream = served(fullStream).split('event: message_delta')[0] + messagesSurface.errorFrame({ error })
    const thrown = await clientOf(stream)
      .messages.stream(requestBody())
      .finalMessage()
      .catch((cause) => cause)
    expect(thrown).toBeInstanceOf(APIError)
    expect(thrown).toMatchObject({ type: 'upstream_error', error: { type: 'error', error } })
  })
})
