import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import fc from 'fast-check'
import { createChatStreamTracker } from '../../surfaces/chat/chat-tracker.ts'
import { createStreamConverter } from './convert-stream.ts'
import { recordedStreams } from './recorded-streams.fixture.ts'

const fallback = { id: 'chatcmpl-req-1', created: 1_760_000_000, model: 'gemini-3.5-flash' }
/** The facts of the request, on which this stream does not depend. */
const facts = {
  requestedModel: 'x',
  fallbackModels: [],
  stream: true,
  includeUsage: true,
  n: 1,
  maxTokens: null,
  searches: 0,
}
const prompt = { items: 1, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }
const context = { facts: { ...facts, prompt }, created: 1_760_000_000 }
const names = Object.keys(recordedStreams)

describe('createStreamConverter', () => {
  it('writes text, the finish reason, the usage and the last frame', () => {
    expect(framesOf('text')).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Grüße, ' }),
      chunk({ content: '世界 🌍' }),
      chunk({}, 'stop'),
      expect.objectContaining({ choices: [], usage: usage(7, 6) }),
      '[DONE]',
    ])
  })

  it('writes thoughts as reasoning, and counts them once', () => {
    expect(framesOf('thoughts').slice(1)).toEqual([
      chunk({ reasoning_content: '**Weighing it**' }),
      chunk({ content: 'Yes.' }),
      chunk({}, 'length'),
      expect.objectContaining({ usage: usage(9, 96, 94) }),
      '[DONE]',
    ])
  })

  it('writes calls with their signature, and an id where Google has none', () => {
    const [, first, firstArguments, second, secondArguments, finish] = framesOf('calls')
    expect([first, firstArguments]).toEqual([
      call(0, {
        id: 'lpndqlku',
        type: 'function',
        function: { name: 'get_weather', arguments: '' },
        extra_content: { google: { thought_signature: 'AY89a19Y' } },
      }),
      call(0, { function: { arguments: '{"city":"Paris"}' } }),
    ])
    expect([second, secondArguments]).toEqual([
      call(1, {
        id: expect.stringMatching(/^call_\w{24}$/),
        type: 'function',
        function: { name: 'get_time', arguments: '' },
      }),
      call(1, { function: { arguments: '{}' } }),
    ])
    expect(finish).toEqual(chunk({}, 'tool_calls'))
  })

  it.each(['blocked', 'filtered'])('ends a stream that was %s as filtered', (name) => {
    const frames = framesOf(name)
    expect(frames).toContainEqual(chunk({}, 'content_filter'))
    expect(frames.at(-1)).toBe('[DONE]')
  })

  it.each([
    ['failed', 'The model is overloaded.'],
    ['a call that went wrong', "The model's answer failed: MALFORMED_FUNCTION_CALL."],
    ['unreadable', 'The provider sent a stream that cannot be read.'],
    ['an error page', 'The provider sent a stream that cannot be read.'],
  ])('reports %s as an error and writes nothing after it', (name, message) => {
    expect(framesOf(name).at(-1)).toMatchObject({ error: { message, type: 'upstream_error' } })
  })

  it('writes nothing before the error of an empty answer, so that the call can be retried', () => {
    expect(framesOf('a call that went wrong')).toEqual([{ error: expect.objectContaining({ type: 'upstream_error' }) }])
  })

  it('reads a call of more than a megabyte, and writes it in small frames', () => {
    const args = { text: '"\n'.repeat(600_000) }
    const event = {
      candidates: [{ content: { parts: [{ functionCall: { name: 'write', args } }] }, finishReason: 'STOP' }],
    }
    const reader = createSseReader({ maxEventBytes: 65_536 })
    const events = reader.push(Buffer.from(convert([Buffer.from(`data: ${JSON.stringify(event)}\n\n`)])))
    expect(events.filter(({ oversized }) => oversized)).toEqual([])
    const tracker = createChatStreamTracker(context)
    for (const each of events) tracker.accept(each)
    const [{ message }] = JSON.parse(String(tracker.assemble())).choices
    expect(JSON.parse(message.tool_calls[0].function.arguments)).toEqual(args)
  })

  it.each(['\n', '\r', '\r\n'])('reads lines that end in %j', (ending) => {
    for (const name of names) {
      const recorded = recordedStreams[name] ?? ''
      const bytes = Buffer.from(recorded.replaceAll('\r\n', '\n').replaceAll('\n', ending))
      const whole = convert([Buffer.from(recorded)])
      expect(convert([bytes])).toBe(whole)
      expect(convert([...bytes].map((byte) => Buffer.from([byte])))).toBe(whole)
    }
  })

  it('reads data that is spread over several lines', () => {
    const chunk = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }
    const lines = JSON.stringify(chunk, null, 1)
      .split('\n')
      .map((line) => `data: ${line}\r\n`)
    expect(convert([Buffer.from(`${lines.join('')}\r\n`)])).toBe(
      convert([Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`)]),
    )
  })

  it('does not end a stream without a finish reason', () => {
    const text = recordedStreams.text ?? ''
    const frames = parse(convert([Buffer.from(text.slice(0, text.lastIndexOf('data: ')))]))
    expect(frames).toEqual([chunk({ role: 'assistant', content: '' }), ...framesOf('text').slice(1, 3)])
  })

  it('writes a stream from which the gateway reads answer and usage', () => {
    const tracker = createChatStreamTracker(context)
    const reader = createSseReader({ maxEventBytes: 1_048_576 })
    for (const event of reader.push(Buffer.from(convert([Buffer.from(recordedStreams.calls ?? '')]))))
      tracker.accept(event)
    expect(tracker).toMatchObject({ done: true, finished: true })
    expect(tracker.usage).toMatchObject({ promptTokens: 29, completionTokens: 824, reasoningTokens: 804 })
  })

  it('writes the same wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(fc.nat(), { maxLength: 12 }), (name, cuts) => {
        const bytes = Buffer.from(recordedStreams[name] ?? '')
        expect(convert(cutAt(bytes, cuts))).toBe(convert([bytes]))
      }),
      { numRuns: 500 },
    )
    for (const name of names) {
      const bytes = Buffer.from(recordedStreams[name] ?? '')
      expect(convert([...bytes].map((byte) => Buffer.from([byte])))).toBe(convert([bytes]))
    }
  })

  it('never throws and never ends a stream that is cut off at any byte', () => {
    for (const name of names) {
      const bytes = Buffer.from((recordedStreams[name] ?? '').trimEnd())
      for (let length = 0; length < bytes.length; length += 1) {
        const text = convert([bytes.subarray(0, length)])
        if (!isWhole(bytes.subarray(0, length))) expect(text).not.toContain('[DONE]')
      }
    }
  })

  it('never throws for any JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), anyChunk()), { maxLength: 4 }), (texts) => {
        const frames = parse(convert([Buffer.from(texts.map((text) => `data: ${text}\n\n`).join(''))]))
        expect(frames.filter((frame) => frame === '[DONE]').length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 500 },
    )
  })
})

/** A chunk in Google's format whose members are arbitrary. */
function anyChunk(): fc.Arbitrary<string> {
  const part = fc.record(
    { text: fc.jsonValue(), thought: fc.jsonValue(), functionCall: fc.jsonValue(), thoughtSignature: fc.jsonValue() },
    { requiredKeys: [] },
  )
  const candidate = fc.record(
    { content: fc.oneof(fc.jsonValue(), fc.record({ parts: fc.array(part) })), finishReason: fc.jsonValue() },
    { requiredKeys: [] },
  )
  const body = { candidates: fc.array(candidate), usageMetadata: fc.jsonValue(), promptFeedback: fc.jsonValue() }
  return fc.record(body, { requiredKeys: [] }).map((value) => JSON.stringify(value))
}

function convert(chunks: readonly Buffer[]): string {
  const converter = createStreamConverter(fallback)
  const converted = chunks.map((bytes) => converter.push(bytes))
  return Buffer.concat([...converted, converter.end()]).toString()
}

/** A stream is complete after its finish reason, even if all that follows is missing. */
function isWhole(bytes: Buffer): boolean {
  const last = bytes.toString().trimEnd().split('data: ').at(-1) ?? ''
  try {
    return /"finishReason"|"blockReason"/.test(JSON.stringify(JSON.parse(last)))
  } catch {
    return false
  }
}

function framesOf(name: string): unknown[] {
  return parse(convert([Buffer.from(recordedStreams[name] ?? '')]))
}

function parse(text: string): unknown[] {
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  return frames.map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice('data: '.length))))
}

function chunk(delta: object, finish_reason: string | null = null) {
  return {
    id: 'chatcmpl-kNiDavuDIcja',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'gemini-3.5-flash',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  }
}

function call(index: number, more: object) {
  return chunk({ tool_calls: [{ index, ...more }] })
}

function usage(prompt_tokens: number, completion_tokens: number, reasoning_tokens = 0) {
  return expect.objectContaining({
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    completion_tokens_details: { reasoning_tokens },
  })
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((left, right) => left - right)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}
