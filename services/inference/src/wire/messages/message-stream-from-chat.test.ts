import fc from 'fast-check'
import { createMessagesTracker } from '../../surfaces/messages/messages-tracker.ts'
import { layouts } from '../../surfaces/messages/recorded-messages.fixture.ts'
import { messageFromChat } from './message-from-chat.ts'
import { messageStreamFromChat } from './message-stream-from-chat.ts'
import { charged, chatSse, convert, eventsOf, readFrames, requestOf, usageOf } from './message-streams.fixture.ts'

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'fast-1',
  choices: [{ index: 0, delta, finish_reason }],
})
const call = (index: number, given: object, more: object = {}) =>
  chunk({ tool_calls: [{ index, function: given, ...more }] })
const usage = { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } }

/** Thinking, text beyond ASCII, and two calls with interleaved arguments. */
const fullChat = chatSse(
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'Let me ' }),
  chunk({ reasoning_content: 'see …' }),
  chunk({ content: 'Grüße, ' }),
  chunk({ content: '世界 👋' }),
  call(0, { name: 'weather', arguments: '' }, { id: 'call_1' }),
  call(0, { arguments: '{"city"' }),
  call(1, { name: 'now', arguments: '{' }, { id: 'call_2' }),
  call(0, { arguments: ':"Os' }),
  call(1, { arguments: '}' }),
  call(0, { arguments: 'lo"}' }),
  chunk({}, 'tool_calls'),
  usage,
  '[DONE]',
)

function reported(chat: string | Buffer, cuts: readonly number[] = [], body: object = {}): string {
  return convert(messageStreamFromChat(requestOf({ messages: [], stream: true, ...body })), chat, cuts)
}

/** Events as short words: `+text` begins a block, `text` continues it, `-` ends one. */
function outline(stream: string): string[] {
  return readFrames(stream).map(({ event, data }) => {
    const { index, content_block: block, delta } = data as Record<string, { type?: string } | undefined>
    if (event === 'content_block_start') return `${index} +${block?.type}`
    if (event === 'content_block_stop') return `${index} -`
    return event === 'content_block_delta' ? `${index} ${delta?.type}` : String(event)
  })
}

function assembled(stream: string) {
  const tracker = createMessagesTracker()
  const verdicts = eventsOf(stream).map((event) => tracker.accept(event))
  return { verdicts, tracker, message: JSON.parse(String(tracker.assemble())) }
}

it('begins a call with the signature that the client must send back, also in the assembled message', () => {
  const extra_content = { google: { thought_signature: 'AY89' } }
  const signed = call(0, { name: 'now', arguments: '' }, { id: 'call_1', extra_content })
  const stream = reported(chatSse(signed, call(0, { arguments: '{}' }), chunk({}, 'tool_calls'), usage, '[DONE]'))
  const use = { type: 'tool_use', id: 'call_1', name: 'now', input: {}, extra_content }
  expect(readFrames(stream)[1]?.data).toMatchObject({ content_block: use })
  expect(assembled(stream).message.content).toEqual([use])
})

describe('signed thinking', () => {
  const format = 'anthropic-claude-v1'
  const details = (signature: string, text = 'Hm.') =>
    chunk({ reasoning_details: [{ type: 'reasoning.text', text, signature, format, index: 0 }] })
  const stream = (...chunks: object[]) => reported(chatSse(...chunks, chunk({}, 'stop'), usage, '[DONE]'))

  it('ends with its signature, and more thinking begins another block', () => {
    const written = stream(
      chunk({ reasoning_content: 'Hm.' }),
      details('a'),
      chunk({ reasoning_content: 'Ah.' }),
      details('b', 'Ah.'),
      chunk({ content: 'Blue.' }),
    )
    expect(assembled(written).message.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'a' },
      { type: 'thinking', thinking: 'Ah.', signature: 'b' },
      { type: 'text', text: 'Blue.' },
    ])
  })

  it('is a block without text when the text is hidden', () => {
    const encrypted = chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'AAAA', format, index: 1 }] })
    expect(assembled(stream(details('a', ''), encrypted, chunk({ content: 'Blue.' }))).message.content).toEqual([
      { type: 'thinking', thinking: '', signature: 'a' },
      { type: 'redacted_thinking', data: 'AAAA' },
      { type: 'text', text: 'Blue.' },
    ])
  })

  it('does not follow other content', () => {
    const written = stream(chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Blue.' }), details('a'))
    expect(assembled(written).message.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Blue.' },
    ])
  })
})

it('writes thinking among the parts of the content', () => {
  const thinking = chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] })
  const written = reported(chatSse(thinking, chunk({ content: 'Blue.' }), chunk({}, 'stop'), usage, '[DONE]'))
  expect(assembled(written).message.content).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: '' },
    { type: 'text', text: 'Blue.' },
  ])
})

it('writes blocks one after the other, even when the provider interleaves them', () => {
  expect(outline(reported(fullChat))).toEqual([
    'message_start',
    ...['0 +thinking', '0 thinking_delta', '0 thinking_delta', '0 -'],
    ...['1 +text', '1 text_delta', '1 text_delta', '1 -'],
    ...['2 +tool_use', '2 input_json_delta', '2 input_json_delta', '2 input_json_delta', '2 -'],
    ...['3 +tool_use', '3 input_json_delta', '3 input_json_delta'],
    ...['3 -', 'message_delta', 'message_stop'],
  ])
})

it('gives the same message as the unstreamed answer', () => {
  const { message, tracker } = assembled(reported(fullChat))
  const calls = [
    { id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    { id: 'call_2', function: { name: 'now', arguments: '{}' } },
  ]
  const said = { reasoning_content: 'Let me see …', content: 'Grüße, 世界 👋', tool_calls: calls }
  const chat = { ...usage, model: 'fast-1', choices: [{ index: 0, message: said, finish_reason: 'tool_calls' }] }
  expect(message).toEqual(JSON.parse(String(messageFromChat(chat, requestOf({ messages: [] })))))
  expect(tracker).toMatchObject({ done: true, finished: true, usage: usageOf(100, 20) })
})

it('begins the message with zero counts, and states the real ones at its end', () => {
  const frames = readFrames(reported(fullChat))
  expect(frames[0]?.data).toMatchObject({
    message: {
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      content: [],
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  })
  expect(frames.at(-2)?.data).toMatchObject({
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { input_tokens: 100, cache_read_input_tokens: 0, output_tokens: 20 },
  })
})

it('leaves usage to the gateway when the provider gives none', () => {
  const { tracker } = assembled(reported(chatSse(chunk({ content: 'x' }), chunk({}, 'stop'), '[DONE]')))
  expect(tracker.isUsageFinal).toBe(false)
  const [end] = readFrames(tracker.tail({ ...charged, isReported: false }))
  expect(end?.data).toMatchObject({ usage: { input_tokens: 125, output_tokens: 89, cost_usd: 0.000042 } })
})

it('streams a call as soon as the one before it is complete', () => {
  const converter = messageStreamFromChat(requestOf({ messages: [], stream: true }))
  const say = (...chunks: object[]) => converter.push(Buffer.from(chatSse(...chunks))).toString()
  say(call(0, { name: 'a', arguments: '{"x":"}"' }, { id: 'c1' }))
  expect(say(call(1, { name: 'b', arguments: '{"y":' }, { id: 'c2' }))).toBe('')
  const frames = outline(say(call(0, { arguments: '}' })))
  expect(frames).toEqual(['0 input_json_delta', '0 -', '1 +tool_use', '1 input_json_delta'])
  expect(outline(say(call(1, { arguments: '1}' })))).toEqual(['1 input_json_delta'])
})

it.each<[string, object[], object[]]>([
  [
    'calls that all come whole with one index',
    [call(0, { name: 'a', arguments: '{"x":1}' }, { id: 'c1' }), call(0, { name: 'b', arguments: '{}' }, { id: 'c2' })],
    [
      { id: 'c1', name: 'a', input: { x: 1 } },
      { id: 'c2', name: 'b', input: {} },
    ],
  ],
  [
    'calls without an index or an id',
    [chunk({ tool_calls: [{ function: { name: 'a', arguments: '{}' } }, { function: { name: 'b' } }] })],
    [
      { id: expect.stringMatching(/^toolu_\w+_0$/), name: 'a', input: {} },
      { id: expect.stringMatching(/^toolu_\w+_1$/), name: 'b', input: {} },
    ],
  ],
  [
    'a call whose id is repeated in every chunk',
    [call(0, { name: 'a', arguments: '{' }, { id: 'c1' }), call(0, { name: 'a', arguments: '}' }, { id: 'c1' })],
    [{ id: 'c1', name: 'a', input: {} }],
  ],
  [
    'arguments that come before the name',
    [call(0, { arguments: '{"x":' }, { id: 'c1' }), call(0, { name: 'a', arguments: '1}' })],
    [{ id: 'c1', name: 'a', input: { x: 1 } }],
  ],
])('translates %s', (_what, chunks, calls) => {
  const { message } = assembled(reported(chatSse(...chunks, chunk({}, 'tool_calls'), '[DONE]')))
  expect(message.content).toMatchObject(calls)
  expect(message.stop_reason).toBe('tool_use')
})

it('writes text after a call into a block of its own', () => {
  const chat = chatSse(
    chunk({ content: 'a' }),
    call(0, { name: 't', arguments: '{' }, { id: 'c1' }),
    chunk({ content: 'b' }),
    call(0, { arguments: '}' }),
    chunk({ content: 'c' }, 'stop'),
    '[DONE]',
  )
  expect(assembled(reported(chat)).message.content).toMatchObject([{ text: 'a' }, { input: {} }, { text: 'bc' }])
})

it('translates refusals, stop sequences and hidden thinking like an unstreamed answer', () => {
  const refusal = chatSse(chunk({ refusal: 'No.' }), chunk({}, 'stop'), '[DONE]')
  expect(assembled(reported(refusal)).message).toMatchObject({
    content: [{ type: 'text', text: 'No.' }],
    stop_reason: 'refusal',
    stop_details: { explanation: 'No.' },
  })
  const stopped = chunk({}, 'stop')
  const choices = [{ ...stopped.choices[0], stop_reason: 'END' }]
  const sequence = chatSse(chunk({ content: 'x' }), { ...stopped, choices }, '[DONE]')
  expect(assembled(reported(sequence, [], { stop_sequences: ['END'] })).message).toMatchObject({ stop_sequence: 'END' })
  const omitted = { thinking: { type: 'adaptive', display: 'omitted' } }
  expect(reported(fullChat, [], omitted)).not.toContain('thinking_delta')
})

it('skips comments, other choices and chunks without any', () => {
  const other = { ...chunk({ content: 'other' }), choices: [{ index: 1, delta: { content: 'other' } }] }
  const chat = `: ping\n\n${chatSse({ choices: [] }, chunk({ content: 'ours' }), other, chunk({}, 'stop'), '[DONE]')}`
  expect(assembled(reported(chat)).message.content).toEqual([{ type: 'text', text: 'ours' }])
})

describe('a stream that', () => {
  const half = chatSse(chunk({ content: 'x' }))

  it('has its finish reason but no last frame is complete', () => {
    expect(outline(reported(half + chatSse(chunk({}, 'stop')))).slice(-2)).toEqual(['message_delta', 'message_stop'])
  })

  it('breaks off is not completed', () => {
    const { tracker } = assembled(reported(half))
    expect(tracker).toMatchObject({ done: false, finished: false })
  })

  it.each([
    ['reports an error', chatSse({ error: { message: 'Overloaded', type: 'server_error' } }), 'Overloaded'],
    ['has an error event', 'event: error\ndata: {"message":"Gone"}\n\n', 'Gone'],
    ['is an error body', '{"error":{"message":"Nope"}}\n\n', 'Nope'],
    ['is a web page', '<html>\n\n', 'The provider sent a stream that cannot be read.'],
    ['has no JSON', 'data: {"choices":[\n\n', 'The provider sent a stream that cannot be read.'],
    ['has choices that are not a list', chatSse({ choices: 'x' }), 'The provider sent a stream that cannot be read.'],
    ['has an endless frame', `data: ${'x'.repeat(1_100_000)}`, 'The provider sent a stream that cannot be read.'],
  ])('%s ends in an error event', (_what, chat, message) => {
    const stream = reported(half + chat + half)
    expect(readFrames(stream).at(-1)).toEqual({
      event: 'error',
      data: { type: 'error', error: { type: 'api_error', message } },
    })
    const tracker = createMessagesTracker()
    expect(
      eventsOf(stream)
        .map((event) => tracker.accept(event))
        .at(-1),
    ).toBe('error')
    expect(tracker.errorMessage).toBe(message)
  })
})

const chats = {
  everything: fullChat,
  'text alone': chatSse(chunk({ content: '日本' }), chunk({ content: ' 👋🏽' }), chunk({}, 'length'), usage, '[DONE]'),
  'a refusal': chatSse(chunk({ refusal: 'No.' }), chunk({}, 'stop'), '[DONE]'),
  'no end mark': `: hello\n\n${chatSse(chunk({ content: 'x' }), chunk({}, 'stop'))}`,
  'an error': chatSse(chunk({ content: 'x' }), { error: { message: 'Overloaded' } }, chunk({ content: 'y' })),
}

describe.each(Object.entries(chats))('%s', (_name, chat) => {
  it.each(Object.entries(layouts))(
    'gives the same stream wherever it is cut, with the layout %s',
    (_layout, layOut) => {
      const laidOut = layOut(chat)
      const bytes = Buffer.byteLength(laidOut)
      expect(reported(laidOut)).toBe(reported(chat))
      const everywhere = Array.from({ length: bytes }, (_, index) => index)
      expect(reported(laidOut, everywhere)).toBe(reported(chat))
      fc.assert(
        fc.property(fc.array(fc.nat(bytes), { maxLength: 20 }), (cuts) => {
          expect(reported(laidOut, cuts)).toBe(reported(chat))
        }),
        { numRuns: 30 },
      )
    },
  )
})

it('writes a stream with one open block at a time for any order of deltas', () => {
  const text = fc.record({
    kind: fc.constantFrom('content', 'reasoning', 'refusal'),
    piece: fc.string({ minLength: 1 }),
  })
  const argument = fc.record({ index: fc.nat(3), piece: fc.constantFrom('{', '}', '"', '\\', 'x') })
  fc.assert(
    fc.property(fc.array(fc.oneof(text, argument), { maxLength: 30 }), (steps) => {
      const chunks = steps.map((step) =>
        'kind' in step
          ? chunk({ [step.kind]: step.piece })
          : call(step.index, { name: 'f', arguments: step.piece }, { id: `c${step.index}` }),
      )
      const frames = readFrames(reported(chatSse(...chunks, chunk({}, 'stop'), '[DONE]')))
      let open: unknown = null
      let next = 0
      const inputs = new Map<unknown, string>()
      for (const { event, data } of frames) {
        if (event === 'content_block_start') {
          expect([open, data.index]).toEqual([null, next])
          open = data.index
          next += 1
          inputs.set(open, (data.content_block as { id?: string }).id ?? '')
        } else if (event === 'content_block_delta') expect(data.index).toBe(open)
        else if (event === 'content_block_stop') open = null
      }
      expect(open).toBeNull()
      const started = new Set(steps.flatMap((step) => ('kind' in step ? [] : [`c${step.index}`])))
      expect(new Set([...inputs.values()].filter(Boolean))).toEqual(started)
    }),
  )
})

it('never throws, for any truncation and any broken byte', () => {
  const bytes = Buffer.from(fullChat)
  for (let length = 0; length <= bytes.length; length += 1) reported(bytes.subarray(0, length))
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (place, byte) => {
      const broken = Buffer.from(bytes)
      broken[place] = byte
      reported(broken)
    }),
  )
})
