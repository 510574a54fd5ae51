import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import fc from 'fast-check'
import { noUsage } from '../../wire/usage.ts'
import type { FrameAction, StreamTracker } from '../surface.ts'
import { createChatStreamTracker } from './chat-tracker.ts'
import { checkChatRequest } from './check-chat-request.ts'
import { recordedStreams } from './recorded-streams.fixture.ts'

const frame = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const chunk = (choices: unknown, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'gpt-4o-mini-2024-07-18',
  choices,
  ...more,
})
const delta = (fields: object, index = 0) => ({ index, delta: fields, finish_reason: null })
const end = (reason: string, index = 0) => ({ index, delta: {}, finish_reason: reason })
const usage = (prompt: number, completion: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})
const tokens = (promptTokens: number, completionTokens: number) => ({
  ...noUsage,
  promptTokens,
  completionTokens,
})

const checked = checkChatRequest({ model: 'm', messages: [{ role: 'user' }], stream_options: { include_usage: true } })
if (!checked.ok) throw new Error(checked.message)
const context = { facts: checked.facts, created: 1_700_000_000 }

function follow(stream: string | Buffer) {
  const reader = createSseReader({ maxEventBytes: 10_000 })
  const tracker = createChatStreamTracker(context)
  const last = (events: readonly SseEvent[], final: SseEvent | null) => (final === null ? events : [...events, final])
  const verdicts = last(reader.push(Buffer.from(stream)), reader.end()).map((event) => tracker.accept(event))
  return { tracker, verdicts }
}

function choicesOf(tracker: StreamTracker): readonly unknown[] {
  return JSON.parse(String(tracker.assemble())).choices
}

describe('createChatStreamTracker', () => {
  it('tracks a stream of OpenAI', () => {
    const { tracker, verdicts } = follow(
      frame(chunk([delta({ role: 'assistant', content: '' })], { system_fingerprint: 'fp_1', usage: null })) +
        frame(chunk([delta({ content: 'Hel' })], { usage: null })) +
        frame(chunk([delta({ content: 'lo' })], { usage: null })) +
        frame(chunk([end('stop')], { usage: null })) +
        frame(chunk([], usage(9, 2))) +
        frame('[DONE]'),
    )
    expect(verdicts).toEqual(['forward', 'forward', 'forward', 'forward', 'hold', 'hold'])
    expect(tracker).toMatchObject({
      done: true,
      finished: true,
      generated: { texts: ['Hel', 'lo'], characters: 5 },
      isUsageFinal: true,
      usage: tokens(9, 2),
      errorMessage: null,
    })
    const last = chunk([], { usage: { ...usage(9, 2).usage, cost_usd: 0.000017 } })
    expect(tracker.tail({ usage: tokens(9, 2), isReported: true, chargedNano: 17_000n })).toBe(
      frame(last) + frame('[DONE]'),
    )
  })

  it.each<[string, object, number]>([
    ['an empty text', { role: 'assistant', content: '' }, 0],
    ['no text', { content: null }, 0],
    ['text', { content: 'a' }, 1],
    ['a refusal', { refusal: 'no' }, 1],
    ['reasoning', { reasoning_content: 'hm' }, 1],
    ['reasoning under two names', { reasoning_content: 'hm', reasoning: 'hm' }, 1],
    ['reasoning and text', { reasoning: 'hm', content: 'a' }, 2],
    [
      'a tool call that begins',
      { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'f', arguments: '' } }] },
      1,
    ],
    ['tool call arguments', { tool_calls: [{ index: 0, function: { arguments: '{"a' } }] }, 1],
    [
      'arguments of two tool calls',
      { tool_calls: [{ function: { arguments: '1' } }, { function: { arguments: '2' } }] },
      2,
    ],
    ['the arguments of an old function call', { function_call: { arguments: '{}' } }, 1],
    ['a list of parts', { content: [{ type: 'text', text: 'a' }] }, 1],
    ['a thinking part', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }, 1],
    ['things of the wrong type', { content: 7, tool_calls: {}, refusal: {}, reasoning: [null, 1], audio: [] }, 0],
  ])('counts %s', (_name, fields, deltas) => {
    expect(follow(frame(chunk([delta(fields)]))).tracker).toHaveProperty('generated.pieces', deltas)
  })

  it('counts every choice, and is finished when all of them have ended', () => {
    const three = frame(chunk([delta({ content: 'a' }, 0), delta({ content: 'b' }, 1), delta({ content: 'c' }, 2)]))
    expect(follow(three).tracker).toMatchObject({ generated: { texts: ['a', 'b', 'c'] }, finished: false })
    const two = three + frame(chunk([end('stop', 2)])) + frame(chunk([end('length', 0)]))
    expect(follow(two).tracker).toMatchObject({ finished: false })
    const { tracker } = follow(two + frame(chunk([end('tool_calls', 1)])))
    expect(tracker).toMatchObject({ finished: true, done: false })
    expect(choicesOf(tracker)).toMatchObject([
      { index: 0, finish_reason: 'length' },
      { index: 1, finish_reason: 'tool_calls' },
      { index: 2, finish_reason: 'stop' },
    ])
  })

  it('is not finished before the first choice', () => {
    expect(follow(frame(chunk([]))).tracker).toMatchObject({ finished: false, done: false, generated: { pieces: 0 } })
    expect(follow('').tracker).toMatchObject({ finished: false })
  })

  it.each<[string, object[], FrameAction[], ReturnType<typeof tokens> | null]>([
    ['absent', [chunk([delta({ content: 'a' })])], ['forward'], null],
    ['explicitly zero', [chunk([], usage(0, 0))], ['hold'], tokens(0, 0)],
    ['given twice', [chunk([], usage(9, 1)), chunk([], usage(9, 5))], ['hold', 'hold'], tokens(9, 5)],
    ['given before the end', [chunk([], usage(9, 1)), chunk([end('stop')])], ['hold', 'forward'], tokens(9, 1)],
    [
      'in every chunk',
      [chunk([delta({ content: 'a' })], usage(9, 1)), chunk([end('stop')], usage(9, 2))],
      ['forward', 'forward'],
      tokens(9, 2),
    ],
    ['under x_groq', [chunk([end('stop')], { x_groq: usage(9, 3) })], ['forward'], tokens(9, 3)],
    ['in a choice', [chunk([{ ...end('stop'), ...usage(9, 3) }])], ['forward'], tokens(9, 3)],
    ['in a chunk without choices', [{ id: 'x', ...usage(9, 3) }], ['hold'], tokens(9, 3)],
    ['hostile, after it was sane', [chunk([], usage(9, 3)), chunk([], usage(-1, 3))], ['hold', 'hold'], tokens(9, 3)],
    [
      'followed by a chunk without it',
      [chunk([], usage(9, 3)), chunk([], { usage: null })],
      ['hold', 'forward'],
      tokens(9, 3),
    ],
  ])('reads usage that is %s', (_name, chunks, verdicts, expected) => {
    const followed = follow(chunks.map(frame).join(''))
    expect(followed.verdicts).toEqual(verdicts)
    expect(followed.tracker.usage).toEqual(expected)
  })

  it.each<[string, string, string | null]>([
    ['an error chunk', frame({ error: { message: 'overloaded', code: 503 } }), 'overloaded'],
    ['an error beside choices', frame(chunk([end('error')], { error: { message: 'gone' } })), 'gone'],
    ['an error that is a text', frame({ error: 'overloaded' }), 'overloaded'],
    ['an error object', frame({ object: 'error', message: 'overloaded', code: 503 }), 'overloaded'],
    ['an error event', 'event: error\ndata: {"message":"overloaded"}\n\n', 'overloaded'],
    ['an error event that is not JSON', 'event: error\ndata: overloaded\n\n', null],
    ['a JSON body that calls itself a stream', '{"error":\n {"message":"overloaded"}}', 'overloaded'],
  ])('reports %s as a failure', (_name, stream, message) => {
    const { tracker, verdicts } = follow(stream)
    expect(verdicts).toEqual(['error'])
    expect(tracker).toMatchObject({ errorMessage: message, done: false, finished: false })
  })

  it('does not report an empty error field as a failure', () => {
    expect(follow(frame(chunk([delta({ content: 'a' })], { error: null }))).verdicts).toEqual(['forward'])
  })

  it.each<[string, string, FrameAction[]]>([
    ['a comment', ': OPENROUTER PROCESSING\n\n', ['forward']],
    ['an object without choices', frame({ type: 'ping' }), ['forward']],
    ['empty data', frame('') + frame(' '), ['skip', 'skip']],
    [
      'frames after the end',
      frame('[DONE]') + frame(chunk([delta({ content: 'a' })])) + frame({ error: 'x' }),
      ['hold', 'skip', 'skip'],
    ],
    ['[DONE] with spaces around it', 'data:   [DONE] \n\n', ['hold']],
    ['broken JSON', frame('{"choices":[{"del'), ['malformed']],
    [
      'JSON that is not an object',
      frame('[1]') + frame('1') + frame('null') + frame('"a"'),
      Array(4).fill('malformed'),
    ],
    ['choices that are not a list', frame({ choices: {} }), ['malformed']],
    ['a body of HTML', '<html>\n\n', ['malformed']],
    ['a body of other JSON', '{"id":1}', ['malformed']],
    ['a frame that is too large', frame('x'.repeat(20_000)), ['malformed']],
  ])('decides per frame: %s', (_name, stream, verdicts) => {
    expect(follow(stream).verdicts).toEqual(verdicts)
  })

  it('counts the generated text of any chat stream', () => {
    const word = fc.string({ maxLength: 6, unit: 'grapheme' })
    const step = fc.record({
      index: fc.nat(3),
      kind: fc.constantFrom('content', 'refusal', 'reasoning_content', 'arguments'),
      text: word,
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const frames = steps.map(({ index, kind, text }) =>
          frame(
            chunk([
              delta(
                kind === 'arguments' ? { tool_calls: [{ index: 0, function: { arguments: text } }] } : { [kind]: text },
                index,
              ),
            ]),
          ),
        )
        const { tracker, verdicts } = follow(frames.join(''))
        expect(verdicts.every((verdict) => verdict === 'forward')).toBe(true)
        expect(tracker.generated.pieces).toBe(steps.filter(({ text }) => text !== '').length)
        expect(tracker.generated.characters).toBe(steps.reduce((sum, { text }) => sum + text.length, 0))
      }),
      { numRuns: 200 },
    )
  })

  /** All results of a tracker that reads a stream in these pieces. */
  function outcome(pieces: readonly Buffer[]) {
    const reader = createSseReader({ maxEventBytes: 10_000 })
    const tracker = createChatStreamTracker(context)
    const events = pieces.flatMap((piece) => [...reader.push(piece)])
    const rest = reader.end()
    const judged = (rest === null ? events : [...events, rest]).map((event) => {
      const verdict = tracker.accept(event)
      return [String(verdict), verdict === 'forward' ? String(event.raw) : '']
    })
    const { done, finished, usage, isUsageFinal, generated, errorMessage } = tracker
    const charged = { usage: usage ?? noUsage, isReported: usage !== null, chargedNano: 17_000n }
    return {
      judged,
      done,
      finished,
      usage,
      isUsageFinal,
      written: generated.texts,
      hidden: generated.hiddenTokens,
      errorMessage,
      tail: tracker.tail(charged),
      whole: String(tracker.assemble()),
    }
  }

  const recorded = Object.entries(recordedStreams)

  it.each(recorded)('gives the same results for the stream %s wherever it is cut', (_name, stream) => {
    const bytes = Buffer.from(stream)
    const expected = outcome([bytes])
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    expect(outcome(single)).toEqual(expected)
    const places = fc.array(fc.nat(bytes.length), { maxLength: 30 })
    fc.assert(
      fc.property(places, (cuts) => {
        const bounds = [0, ...cuts.toSorted((left, right) => left - right), bytes.length]
        expect(outcome(bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end)))).toEqual(expected)
      }),
    )
  })

  it.each([
    ['carriageReturns', 'openai'],
    ['onlyCarriageReturns', 'calls'],
    ['manyLines', 'openai'],
    ['manyLinesOfCalls', 'calls'],
  ] as const)('makes the same of the stream %s as of %s, whose lines only end otherwise', (name, plain) => {
    const { judged, tail: _spelled, ...same } = outcome([Buffer.from(recordedStreams[plain])])
    const other = outcome([Buffer.from(recordedStreams[name])])
    expect(other).toMatchObject(same)
    expect(other.judged.map(([verdict]) => verdict)).toEqual(judged.map(([verdict]) => verdict))
  })

  it.each(recorded)('never throws, wherever the stream %s is cut', (_name, stream) => {
    const bytes = Buffer.from(stream)
    for (let end = 0; end <= bytes.length; end += 1) outcome([bytes.subarray(0, end)])
  })

  it('is not done before [DONE], wherever a stream is cut', () => {
    const stream = Buffer.from(
      frame(chunk([delta({ content: 'Zoë 💡' })])) +
        frame(chunk([end('stop')])) +
        frame(chunk([], usage(9, 2))) +
        frame('[DONE]'),
    )
    const whole = follow(stream).verdicts
    const doneAt = stream.indexOf('[DONE]') + '[DONE]'.length
    for (let cut = 0; cut < stream.length; cut += 1) {
      const { tracker, verdicts } = follow(stream.subarray(0, cut))
      expect(tracker.done).toBe(cut >= doneAt)
      const wholeFrames = stream.toString('latin1', 0, cut).split('\n\n').length - 1
      expect(verdicts.slice(0, wholeFrames)).toEqual(whole.slice(0, wholeFrames))
    }
  })

  it('never throws, whatever a provider sends', () => {
    const field = fc.constantFrom(
      'choices',
      'delta',
      'content',
      'usage',
      'error',
      'tool_calls',
      'function',
      'index',
      'text',
      'thinking',
      'audio',
    )
    const json = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(field, tie('value'), { maxKeys: 4 }),
    })).object
    const text = fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (datas) => {
        const { tracker } = follow(datas.map((data) => frame(data.replaceAll(/[\r\n]/g, ' '))).join(''))
        expect(Number.isSafeInteger(tracker.generated.characters)).toBe(true)
        tracker.assemble()
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(['[', '{"choices":[', '{"delta":', '{"text":[', '{"content":['])(
    'refuses %j nested 100 000 deep',
    (opening) => {
      const closing = [...opening]
        .reverse()
        .map((character) => ({ '[': ']', '{': '}' })[character] ?? '')
        .join('')
      const nested = `${opening.repeat(100_000)}0${closing.repeat(100_000)}`
      const data = Buffer.from(`{"choices":[{"delta":{"content":[${nested}],"tool_calls":[${nested}]}}]}`)
      const tracker = createChatStreamTracker(context)
      expect(tracker.accept({ raw: data, data, event: null, oversized: false })).toBe('malformed')
    },
  )

  it('refuses a chunk of 300 000 objects before it is parsed', () => {
    const list = Array(300_000).fill('{}').join(',')
    const data = Buffer.from(`{"choices":[{"index":0,"delta":{"x":[${list}]}}]}`)
    expect(createChatStreamTracker(context).accept({ raw: data, data, event: null, oversized: false })).toBe(
      'malformed',
    )
  })

  it('does not take a usage for that of the complete answer when text follows it', () => {
    const early = frame(chunk([delta({ content: 'a' })])) + frame(chunk([], usage(3, 1)))
    expect(follow(early).tracker).toMatchObject({ isUsageFinal: false, usage: { completionTokens: 1 } })
    const later = early + frame(chunk([delta({ content: 'b' })])) + frame(chunk([end('stop')])) + frame('[DONE]')
    expect(follow(later).tracker).toMatchObject({ done: true, isUsageFinal: false, usage: { completionTokens: 1 } })
    const before = early + frame(chunk([end('stop')])) + frame('[DONE]')
    expect(follow(before).tracker).toMatchObject({ isUsageFinal: true })
  })

  it('estimates encrypted reasoning by its length', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'x'.repeat(1_600) }]
    const { generated } = follow(frame(chunk([delta({ reasoning_details: details })]))).tracker
    expect(generated).toMatchObject({ pieces: 0, hiddenTokens: 300 })
  })

  it('stores a bounded number of the choices that a provider sends', () => {
    const tracker = createChatStreamTracker(context)
    for (let index = 0; index < 2_000; index += 1) {
      const data = Buffer.from(JSON.stringify(chunk([end('stop', index), delta({ content: 'a' }, -index - 1)])))
      tracker.accept({ raw: data, data, event: null, oversized: false })
    }
    expect(choicesOf(tracker).length).toBeLessThanOrEqual(128)
    expect(tracker.generated.pieces).toBe(2_000)
  })
})
