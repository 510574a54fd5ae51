import fc from 'fast-check'
import { convertStream } from './convert-stream.ts'
import { eventBytes, exceptionBytes, messageBytes, wholeAnswer } from './event-messages.fixture.ts'

const head = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'anthropic.claude-sonnet-5' }

function convert(chunks: readonly Buffer[]): string {
  const converter = convertStream(head)
  return Buffer.concat([...chunks.map((chunk) => converter.push(chunk)), converter.end()]).toString()
}

/** The parsed `data:` payloads; `[DONE]` stays a string. */
// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
function framesOf(text: string): any[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => line.slice('data: '.length)).map((data) => (data === '[DONE]' ? data : JSON.parse(data)))
}

const framesFor = (...chunks: Buffer[]) => framesOf(convert(chunks))
const stopped = (stopReason: string) => framesFor(eventBytes('messageStop', { stopReason }))

describe('convertStream', () => {
  it('writes reasoning, text, calls, the finish reason, usage and the end', () => {
    const frames = framesFor(...wholeAnswer)
    const deltas = frames.flatMap((frame) => frame.choices?.[0]?.delta ?? [])
    const calls = deltas.flatMap(({ tool_calls }) => tool_calls ?? [])
    expect(deltas[0]).toEqual({ role: 'assistant', content: '' })
    expect(deltas.map(({ reasoning_content }) => reasoning_content ?? '').join('')).toBe('Hm, Grüße.')
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('Ich sehe nach 🌦')
    expect(calls.filter(({ id }) => id !== undefined)).toEqual([
      { index: 0, id: 'tooluse_a', type: 'function', function: { name: 'weather', arguments: '' } },
      { index: 1, id: 'tooluse_b', type: 'function', function: { name: 'time', arguments: '' } },
    ])
    const argumentsOf = (index: number) =>
      calls.map((call) => (call.index === index ? call.function.arguments : '')).join('')
    expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"city": "Zürich"}', '{}'])
    expect(frames.at(-3).choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' }])
    expect(frames.at(-2)).toMatchObject({
      id: 'chatcmpl-1',
      model: 'anthropic.claude-sonnet-5',
      choices: [],
      usage: {
        prompt_tokens: 1132,
        completion_tokens: 57,
        prompt_tokens_details: { cached_tokens: 1024, cache_write_tokens: 96 },
      },
    })
    expect(frames.at(-1)).toBe('[DONE]')
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['something_new', 'stop'],
  ])('ends for %s with %s', (stopReason, expected) => {
    expect(stopped(stopReason)[1].choices[0].finish_reason).toBe(expected)
  })

  it('begins with the role, also when the provider does not say that a message starts', () => {
    const frames = framesFor(...wholeAnswer.slice(1))
    expect(frames[0].choices[0].delta).toEqual({ role: 'assistant', content: '' })
    expect(frames.filter((frame) => frame.choices?.[0]?.delta.role !== undefined)).toHaveLength(1)
  })

  it('has the signature of each block of reasoning directly after its text', () => {
    const reasoning = (contentBlockIndex: number, reasoningContent: object) =>
      eventBytes('contentBlockDelta', { contentBlockIndex, delta: { reasoningContent } })
    const frames = framesFor(
      reasoning(0, { text: 'Hm' }),
      reasoning(0, { text: '.' }),
      reasoning(0, { signature: 'c2ln' }),
      eventBytes('contentBlockStop', { contentBlockIndex: 0 }),
      reasoning(1, { redactedContent: 'AAAA' }),
      eventBytes('contentBlockStop', { contentBlockIndex: 1 }),
      eventBytes('contentBlockDelta', { contentBlockIndex: 2, delta: { text: 'Blue.' } }),
      eventBytes('messageStop', { stopReason: 'end_turn' }),
    )
    const deltas = frames.flatMap((frame) => frame.choices?.[0]?.delta ?? [])
    const format = 'anthropic-claude-v1'
    expect(deltas.slice(1)).toEqual([
      { reasoning_content: 'Hm' },
      { reasoning_content: '.' },
      { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format, index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'AAAA', format, index: 1 }] },
      { content: 'Blue.' },
      {},
    ])
  })

  it('is complete without usage, and has no end when it broke off', () => {
    expect(stopped('end_turn').at(-1)).toBe('[DONE]')
    expect(framesFor(...wholeAnswer.slice(0, 7)).at(-1)).not.toBe('[DONE]')
  })

  it.each(['malformed_model_output', 'malformed_tool_use'])('is an error when the answer is %s', (stopReason) => {
    expect(stopped(stopReason)).toEqual([{ error: expect.objectContaining({ type: 'upstream_error' }) }])
  })

  it.each([
    ['throttlingException', 'The provider is limiting our requests.'],
    ['modelStreamErrorException', 'The provider failed.'],
    ['internalServerException', 'The provider failed.'],
    ['serviceUnavailableException', 'The provider failed.'],
    ['validationException', 'what the caller did'],
  ])('writes nothing after a %s', (name, message) => {
    const frames = framesFor(...wholeAnswer.slice(0, 7), exceptionBytes(name, 'what the caller did'), ...wholeAnswer)
    expect(frames.at(-1)).toEqual({ error: { message, type: 'upstream_error', code: null, param: null } })
  })

  it.each([
    ['garbage', Buffer.from('<html>502 Bad Gateway</html>')],
    ['a payload that is no object', eventBytes('contentBlockDelta', [1])],
    ['an error without a name', messageBytes({ ':message-type': 'error' }, {})],
  ])('ends with an error frame at %s', (_name, bytes) => {
    const frames = framesFor(...wholeAnswer.slice(0, 3), bytes, ...wholeAnswer)
    expect(frames.at(-1)).toEqual({ error: expect.objectContaining({ type: 'upstream_error' }) })
  })

  it('writes nothing before a failure that comes first, so that the call can be retried', () => {
    const start = eventBytes('messageStart', { role: 'assistant' })
    const failed = exceptionBytes('modelStreamErrorException', 'boom')
    for (const frames of [framesFor(failed), framesFor(start, failed)]) {
      expect(frames).toEqual([{ error: expect.objectContaining({ type: 'upstream_error' }) }])
    }
  })

  it('skips events that a chat completion has no equivalent for', () => {
    const strange = [
      eventBytes('contentBlockDelta', { contentBlockIndex: 9, delta: { toolUse: { input: '{}' } } }),
      eventBytes('contentBlockDelta', { contentBlockIndex: 0, delta: { citation: { title: 'x' } } }),
      eventBytes('contentBlockDelta', { delta: null }),
      eventBytes('contentBlockStart', { start: { toolUse: { name: 7 } } }),
      eventBytes('somethingNew', { a: 1 }),
      eventBytes('metadata', { usage: { inputTokens: -1, outputTokens: 2 } }),
    ]
    expect(convert(strange)).toBe('')
  })

  it('writes the same wherever the bytes are cut', () => {
    const streams = [
      Buffer.concat(wholeAnswer),
      Buffer.concat([...wholeAnswer.slice(0, 9), exceptionBytes('throttlingException', 'slow down')]),
      Buffer.concat([...wholeAnswer.slice(0, 9), Buffer.from('no such stream at all')]),
    ]
    for (const bytes of streams) {
      const whole = convert([bytes])
      expect(convert([...bytes].map((byte) => Buffer.from([byte])))).toBe(whole)
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
          const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
          expect(convert(places.slice(1).map((place, index) => bytes.subarray(places[index], place)))).toBe(whole)
        }),
        { numRuns: 50 },
      )
    }
  })

  it('never throws, wherever the stream is cut or damaged', () => {
    const bytes = Buffer.concat(wholeAnswer)
    const whole = convert([bytes])
    for (let length = 0; length < bytes.length; length += 1) {
      expect(whole.startsWith(convert([bytes.subarray(0, length)]).replace(/data: \[DONE\]\n\n$/, ''))).toBe(true)
    }
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const damaged = Buffer.from(bytes)
        damaged.writeUInt8(damaged.readUInt8(place) ^ change, place)
        const text = convert([damaged])
        expect(text).not.toBe(whole)
        for (const frame of framesOf(text)) expect(frame).toBeDefined()
      }),
    )
  })
})
