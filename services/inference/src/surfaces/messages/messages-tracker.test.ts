import fc from 'fast-check'
import {
  begun,
  charged,
  delta,
  eventsOf,
  fullMessage,
  fullStream,
  readFrames,
  sse,
  start,
  stop,
  usageOf,
} from '../../wire/messages/message-streams.fixture.ts'
import { createMessagesTracker } from './messages-tracker.ts'
import { layouts, recorded } from './recorded-messages.fixture.ts'

/** All results of a tracker that reads a stream. */
function follow(stream: string | Buffer, cuts: readonly number[] = []) {
  const tracker = createMessagesTracker()
  const events = eventsOf(stream, cuts)
  const verdicts = events.map((event) => tracker.accept(event))
  const sent = events.flatMap(({ raw }, index) => {
    const verdict = verdicts[index]
    if (verdict instanceof Buffer) return [verdict]
    return verdict === 'forward' ? [raw] : []
  })
  return { tracker, verdicts, sent: Buffer.concat(sent).toString() }
}

const stateOf = ({
  done,
  finished,
  usage,
  isUsageFinal,
  generated,
  errorMessage,
}: ReturnType<typeof createMessagesTracker>) => ({
  done,
  finished,
  usage,
  isUsageFinal,
  pieces: generated.texts,
  hiddenTokens: generated.hiddenTokens,
  errorMessage,
})
const wordsOf = (verdicts: readonly unknown[]) =>
  verdicts.map((verdict) => (Buffer.isBuffer(verdict) ? 'other' : verdict))

const messageStart = (usage: object) => ({ type: 'message_start', message: { ...begun, usage } })
const messageDelta = (reason: string | null, usage?: object) => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  ...(usage === undefined ? {} : { usage }),
})
const end = { type: 'message_stop' }

it('forwards every frame unchanged, except those that end the answer, which wait for the charge', () => {
  const { tracker, verdicts, sent } = follow(fullStream)
  expect(verdicts.slice(-2)).toEqual(['hold', 'hold'])
  expect(new Set(verdicts.slice(0, -2))).toEqual(new Set(['forward']))
  expect(sent).toBe(fullStream.slice(0, fullStream.indexOf('event: message_delta')))
  expect(tracker).toMatchObject({ done: true, finished: true })
})

it('ends the stream with the cost in the usage of message_delta, and changes nothing else in it', () => {
  const data =
    '{"type":"message_delta", "delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15, "x":1.50}, "later":true}'
  const { tracker } = follow(`event: message_delta\ndata: ${data}\n\n${sse(end)}`)
  expect(tracker.tail(charged)).toBe(
    `event: message_delta\ndata: ${data.replace('1.50}', '1.50,"cost_usd":0.000042}')}\n\n${sse(end)}`,
  )
})

it('writes each of its last frames on one line, however the provider writes lines', () => {
  const spread = 'event: message_delta\ndata: {"type":"message_delta",\ndata: "delta":{"stop_reason":"end_turn"}}\n\n'
  const frames = readFrames(follow(spread + sse(end)).tracker.tail({ ...charged, isReported: false }))
  expect(frames[0]?.data).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 89 } })
})

it('adds the counted usage when the provider gave none', () => {
  const { tracker } = follow(sse(messageStart({ input_tokens: 0, output_tokens: 0 }), messageDelta('end_turn'), end))
  expect(tracker.isUsageFinal).toBe(false)
  const usage = usageOf(12, 5, { cachedPromptTokens: 4, cacheWriteTokens: 2, reasoningTokens: 1 })
  expect(readFrames(tracker.tail({ usage, isReported: false, chargedNano: 1_000n }))[0]?.data.usage).toEqual({
    input_tokens: 6,
    cache_creation_input_tokens: 2,
    cache_read_input_tokens: 4,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 1 },
    cost_usd: 0.000001,
  })
})

it('completes a stream that has its last frame but no stop reason', () => {
  const [first, last] = readFrames(follow(sse(messageStart({}), end)).tracker.tail({ ...charged, isReported: false }))
  expect(first?.data).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { cost_usd: 0.000042 } })
  expect(last).toEqual({ event: 'message_stop', data: { type: 'message_stop' } })
})

it('holds back only the last of several message_delta events', () => {
  const [one, two] = [messageDelta(null, { output_tokens: 3 }), messageDelta('end_turn', { output_tokens: 8 })]
  const { tracker, verdicts, sent } = follow(sse(messageStart({ input_tokens: 5, output_tokens: 1 }), one, two, end))
  expect(verdicts).toEqual(['forward', 'hold', Buffer.from(sse(one)), 'hold'])
  expect(sent).toMatch(/"output_tokens":3/)
  expect(tracker.usage).toEqual(usageOf(5, 8))
  expect(tracker.tail(charged)).toContain('"output_tokens":8,"cost_usd":0.000042')
})

describe('a second message_start', () => {
  const start = messageStart({ input_tokens: 5, output_tokens: 1 })
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'A' } }

  it('is left out before there is content', () => {
    const { tracker, verdicts, sent } = follow(sse(start, start, block, messageDelta('end_turn'), end))
    expect(verdicts).toEqual(['forward', 'skip', 'forward', 'hold', 'hold'])
    expect(sent.split('message_start').length).toBe(3) // its event name and its type
    expect(JSON.parse(String(tracker.assemble()))).toMatchObject({ content: [{ type: 'text', text: 'A' }] })
  })

  it('makes the stream unreadable after content, instead of joining two messages', () => {
    expect(follow(sse(start, block, start, block)).verdicts.slice(0, 3)).toEqual(['forward', 'forward', 'malformed'])
  })
})

it('adds a usage of zeros when the provider left it out', () => {
  const { usage: _, ...bare } = messageStart({}).message
  const silent = sse(
    { type: 'message_start', message: bare } as { type: string },
    messageDelta(null),
    messageDelta('end_turn'),
    end,
  )
  const { tracker, sent } = follow(silent)
  const [start, delta] = readFrames(sent)
  expect(start?.data).toEqual({
    type: 'message_start',
    message: { ...bare, usage: { input_tokens: 0, output_tokens: 0 } },
  })
  expect(delta?.data).toEqual({ ...messageDelta(null), usage: { output_tokens: 0 } })
  expect(tracker.usage).toBeNull()
})

it('adds event names when the provider writes none, because clients read them', () => {
  const bare = sse(messageStart({}), stop(0)).replace(/^event: .*\n/gm, '')
  expect(follow(bare).sent).toBe(sse(messageStart({}), stop(0)))
})

it('skips frames after the end', () => {
  expect(follow(`${fullStream}data: [DONE]\n\n${sse(stop(0))}`).verdicts.slice(-2)).toEqual(['skip', 'skip'])
})

describe('usage', () => {
  it('is that of message_delta, completed by that of message_start', () => {
    expect(follow(fullStream).tracker.usage).toEqual(usageOf(125, 89, { cachedPromptTokens: 100 }))
  })

  it('is the later count when both have one', () => {
    const later = { input_tokens: 9, cache_creation_input_tokens: 30, output_tokens: 7 }
    const stream = sse(messageStart({ input_tokens: 25, output_tokens: 1 }), messageDelta('end_turn', later), end)
    expect(follow(stream).tracker.usage).toEqual(usageOf(39, 7, { cacheWriteTokens: 30 }))
  })

  it('is not final before the end, and not when text follows it', () => {
    const first = messageStart({ input_tokens: 25, output_tokens: 1 })
    const text = delta(0, { type: 'text_delta', text: 'x'.repeat(400) })
    const begun = sse(first, start(0, { type: 'text', text: '' }), text)
    expect(follow(begun).tracker).toMatchObject({ usage: usageOf(25, 1), isUsageFinal: false })
    const ending = messageDelta('end_turn', { output_tokens: 9 })
    expect(follow(begun + sse(ending)).tracker).toMatchObject({ usage: usageOf(25, 9), isUsageFinal: true })
    expect(follow(begun + sse(ending, text, end)).tracker).toMatchObject({ usage: usageOf(25, 9), isUsageFinal: false })
    expect(follow(begun + sse(end)).tracker).toMatchObject({ done: true, isUsageFinal: false })
  })

  it('is estimated for encrypted thinking by its length', () => {
    const redacted = start(0, { type: 'redacted_thinking', data: 'x'.repeat(1_600) })
    expect(follow(sse(messageStart({}), redacted)).tracker.generated).toMatchObject({ pieces: 0, hiddenTokens: 300 })
    const signature = delta(0, { type: 'signature_delta', signature: 'x'.repeat(1_600) })
    const omitted = sse(start(0, { type: 'thinking', thinking: '', signature: '' }), signature)
    expect(follow(sse(messageStart({})) + omitted).tracker.generated).toMatchObject({ hiddenTokens: 300 })
    const shown = delta(0, { type: 'thinking_delta', thinking: 'Hm.' })
    const visible = sse(start(0, { type: 'thinking', thinking: '', signature: '' }), shown, signature)
    expect(follow(sse(messageStart({})) + visible).tracker.generated).toMatchObject({ hiddenTokens: 0 })
  })

  it('is zero when the end states zero', () => {
    const zero = { input_tokens: 0, output_tokens: 0 }
    expect(follow(sse(messageStart(zero), messageDelta('end_turn', zero), end)).tracker.usage).toEqual(usageOf(0, 0))
  })
})

it('counts the pieces that the model generated, without ids and signatures', () => {
  const { texts: pieces, characters } = follow(fullStream).tracker.generated
  expect(pieces).toEqual(['Let me ', 'see …', 'Grüße, ', '世界 👋', 'get_weather', '{"city": "Os', 'lo"}', 'now'])
  expect(characters).toBe(pieces.join('').length)
})

it('counts the searches that ended before any usage, without those that did not run or failed', () => {
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
  const call = (index: number) => block(index, { type: 'server_tool_use', name: 'web_search' })
  const result = (index: number, content: unknown) => block(index, { type: 'web_search_tool_result', content })
  const failure = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
  const countOf = (...events: { readonly type: string }[]) =>
    follow(sse(messageStart({ input_tokens: 5, output_tokens: 0 }), ...events)).tracker.hostedCalls?.webSearches
  const two = [call(0), result(1, [{ type: 'web_search_result' }]), call(2), result(3, [])]
  expect(countOf(...two)).toBe(2)
  expect(countOf(...two, call(4))).toBe(2)
  expect(countOf(...two, call(4), result(5, failure))).toBe(2)
  expect(countOf(call(0))).toBe(0)
})

it('knows which searches run: those that began and have no result, good or bad', () => {
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
  const call = (index: number) => block(index, { type: 'server_tool_use', name: 'web_search' })
  const result = (index: number, content: unknown) => block(index, { type: 'web_search_tool_result', content })
  const openOf = (...events: { readonly type: string }[]) =>
    follow(sse(messageStart({ input_tokens: 5, output_tokens: 0 }), ...events)).tracker.openCalls
  expect(openOf(call(0), call(1))).toEqual({ webSearches: 2, containers: 0 })
  expect(openOf(call(0), result(1, []), call(2))).toEqual({ webSearches: 1, containers: 0 })
  expect(openOf(call(0), result(1, { error_code: 'unavailable' }))).toEqual({ webSearches: 0, containers: 0 })
  expect(openOf(result(0, []))).toEqual({ webSearches: 0, containers: 0 })
})

describe('a faulty stream', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

  it.each([
    ['an error event', sse(overloaded), 'error', 'Overloaded'],
    ['an error without an event name', `data: ${JSON.stringify(overloaded)}\n\n`, 'error', 'Overloaded'],
    ['an error body that calls itself a stream', `${JSON.stringify(overloaded)}\n\n`, 'error', 'Overloaded'],
    ['an error event without data', 'event: error\n\n', 'error', null],
    ['a web page', '<html>\n\n', 'malformed', null],
    ['no JSON', 'event: message_start\ndata: {"type":\n\n', 'malformed', null],
    ['a list', 'event: x\ndata: [1]\n\n', 'malformed', null],
    ['data without any name', 'data: {}\n\n', 'malformed', null],
    ['a name that would forge a frame', 'data: {"type":"a\\nb"}\n\n', 'malformed', null],
    ['very deep nesting', `data: {"type":"ping","a":${'['.repeat(5_000)}${']'.repeat(5_000)}}\n\n`, 'malformed', null],
    ['a comment', ': keep-alive\n\n', 'forward', null],
    ['an event we do not know', sse({ type: 'message_thought' }), 'forward', null],
    ['empty data', 'data:\n\n', 'skip', null],
  ])('%s', (_what, stream, verdict, message) => {
    const { tracker, verdicts } = follow(stream)
    expect(verdicts).toEqual([verdict])
    expect(tracker.errorMessage).toBe(message)
  })

  it('is refused when a frame is too large', () => {
    const event = { raw: Buffer.from('x'), data: null, event: null, oversized: true }
    expect(createMessagesTracker().accept(event)).toBe('malformed')
  })
})

describe('assemble', () => {
  it('gives the message of an unstreamed answer', () => {
    expect(JSON.parse(String(follow(fullStream).tracker.assemble()))).toEqual(fullMessage)
  })

  it('includes citations, blocks that arrive complete, and the members of message_delta', () => {
    const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
    const stream = sse(
      messageStart({ input_tokens: 1, output_tokens: 1 }),
      start(0, { type: 'text', text: '', citations: [] }),
      delta(0, { type: 'citations_delta', citation: { cited_text: 'a' } }),
      delta(0, { type: 'text_delta', text: 'b' }),
      start(1, result),
      { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } } } as {
        type: string
      },
      end,
    )
    expect(JSON.parse(String(follow(stream).tracker.assemble()))).toMatchObject({
      content: [{ type: 'text', text: 'b', citations: [{ cited_text: 'a' }] }, result],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal' },
    })
  })

  it.each([
    ['nothing began', sse(end)],
    [
      'a delta is of an unknown type',
      sse(messageStart({}), start(0, { type: 'text' }), delta(0, { type: 'new_delta' })),
    ],
    ['a delta has no block', sse(messageStart({}), delta(7, { type: 'text_delta', text: 'x' }))],
    [
      'an input is not JSON',
      sse(messageStart({}), start(0, { type: 'tool_use' }), delta(0, { type: 'input_json_delta', partial_json: '{' })),
    ],
  ])('gives null when %s', (_why, stream) => {
    expect(follow(stream).tracker.assemble()).toBeNull()
  })

  it('changes no prototype that a provider names', () => {
    const hostile = `event: message_delta\ndata: {"type":"message_delta","delta":{"constructor":{"x":1}}}\n\n`
    follow(sse(messageStart({})) + hostile).tracker.assemble()
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

describe.each(Object.entries(recorded))('%s', (_name, stream) => {
  it.each(Object.entries(layouts))(
    'gives the same results wherever it is cut, with the layout %s',
    (_layout, layOut) => {
      const laidOut = layOut(stream)
      const whole = follow(laidOut)
      const bytes = Buffer.byteLength(laidOut)
      const same = (cuts: readonly number[]) => {
        const { tracker, verdicts, sent } = follow(laidOut, cuts)
        expect(stateOf(tracker)).toEqual(stateOf(whole.tracker))
        expect(wordsOf(verdicts)).toEqual(wordsOf(whole.verdicts))
        expect(readFrames(sent)).toEqual(readFrames(whole.sent))
        expect([tracker.tail(charged), tracker.assemble()]).toEqual([
          whole.tracker.tail(charged),
          whole.tracker.assemble(),
        ])
      }
      same(Array.from({ length: bytes }, (_, index) => index))
      fc.assert(fc.property(fc.array(fc.nat(bytes), { maxLength: 20 }), same), { numRuns: 30 })
    },
  )

  it.each(Object.entries(layouts))(
    'gives the same results with the layout %s as with line feeds',
    (_layout, layOut) => {
      const [plain, laidOut] = [follow(stream), follow(layOut(stream))]
      expect(stateOf(laidOut.tracker)).toEqual(stateOf(plain.tracker))
      expect(readFrames(laidOut.sent)).toEqual(readFrames(plain.sent))
      expect(laidOut.tracker.assemble()).toEqual(plain.tracker.assemble())
    },
  )
})

it('never throws, for any truncation and any broken byte', () => {
  const bytes = Buffer.from(fullStream)
  for (let length = 0; length <= bytes.length; length += 1) {
    const { tracker } = follow(bytes.subarray(0, length))
    tracker.tail(charged)
    tracker.assemble()
  }
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (place, byte) => {
      const broken = Buffer.from(bytes)
      broken[place] = byte
      const { tracker } = follow(broken)
      tracker.tail(charged)
      tracker.assemble()
    }),
  )
})
