import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import fc from 'fast-check'
import { createStreamConverter } from './convert-stream.ts'
import { sse, streams } from './streams.fixture.ts'

const head = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'claude' }

function convert(chunks: readonly Buffer[]): string {
  const converter = createStreamConverter(head)
  const converted = chunks.map((chunk) => converter.push(chunk))
  return Buffer.concat([...converted, converter.end()]).toString()
}

const convertText = (text: string) => convert([Buffer.from(text)])

/** The `data` of every frame; `[DONE]` as that string. */
// biome-ignore lint/suspicious/noExplicitAny: the test asserts on the wire's own shape
function framesOf(text: string): any[] {
  const reader = createSseReader({ maxEventBytes: 1_000_000 })
  const events = [...reader.push(Buffer.from(text))]
  return events.map(({ data }) => (String(data) === '[DONE]' ? '[DONE]' : JSON.parse(String(data))))
}

const deltasOf = (text: string) => framesOf(text).flatMap(({ choices }) => choices?.[0]?.delta ?? [])
const joined = (text: string, member: string) =>
  deltasOf(text)
    .map((delta) => delta[member] ?? '')
    .join('')
const finishOf = (text: string) => framesOf(text).flatMap(({ choices }) => choices?.[0]?.finish_reason ?? [])
const usageOf = (text: string) => framesOf(text).flatMap(({ usage }) => usage ?? [])

describe('createStreamConverter', () => {
  it('writes text as the chunks of one completion, with the usage of the whole message', () => {
    const chat = convertText(streams.text)
    const frames = framesOf(chat)
    expect(frames[0]).toMatchObject({
      id: 'msg_01X',
      object: 'chat.completion.chunk',
      created: head.created,
      model: 'claude-test-1',
      choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }],
    })
    expect(joined(chat, 'content')).toBe('Grüße 👋🏽 日本')
    expect(finishOf(chat)).toEqual(['stop'])
    expect(usageOf(chat)).toMatchObject([
      { prompt_tokens: 35, completion_tokens: 15, prompt_tokens_details: { cached_tokens: 7, cache_write_tokens: 3 } },
    ])
    expect(frames.at(-1)).toBe('[DONE]')
  })

  it('writes parallel tool calls, the second of which has no arguments', () => {
    const chat = convertText(streams.tools)
    const calls = deltasOf(chat).flatMap(({ tool_calls }) => tool_calls ?? [])
    expect(calls.filter(({ id }) => id !== undefined)).toMatchObject([
      { index: 0, id: 'toolu_01A', type: 'function', function: { name: 'get_weather', arguments: '' } },
      { index: 1, id: 'toolu_01B', type: 'function', function: { name: 'get_time', arguments: '' } },
    ])
    const argumentsOf = (index: number) =>
      calls
        .filter((call) => call.index === index)
        .map((call) => call.function.arguments)
        .join('')
    expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"city": "München"}', '{}'])
    expect(finishOf(chat)).toEqual(['tool_calls'])
  })

  it('writes thinking as reasoning, counts it, and ends with the details that a client must send back', () => {
    const chat = convertText(streams.thinking)
    expect(joined(chat, 'reasoning_content')).toBe('27 × 453 = 12231')
    expect(joined(chat, 'content')).toBe('12231')
    const format = 'anthropic-claude-v1'
    expect(deltasOf(chat).flatMap(({ reasoning_details }) => reasoning_details ?? [])).toEqual([
      { type: 'reasoning.text', text: '27 × 453 = 12231', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'EmwKAhgB', format, index: 1 },
    ])
    expect(finishOf(chat)).toEqual(['length'])
    expect(usageOf(chat)).toMatchObject([{ completion_tokens_details: { reasoning_tokens: 33 } }])
  })

  it('writes a refusal with its explanation', () => {
    const chat = convertText(streams.refused)
    expect(joined(chat, 'refusal')).toBe('Not this.')
    expect(finishOf(chat)).toEqual(['content_filter'])
  })

  it('ends with the error that the provider reports', () => {
    const frames = framesOf(convertText(streams.overloaded))
    expect(frames.at(-1)).toMatchObject({ error: { message: 'Overloaded' } })
    expect(frames.filter(({ choices }) => choices?.[0]?.delta.content === 'lo')).toEqual([])
  })

  it.each([
    ['JSON that breaks off', 'event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n'],
    ['no stream at all', '<html>Bad gateway</html>\n\n'],
    ['a tool without a name', sse({ type: 'content_block_start', content_block: { type: 'tool_use' } })],
    ['an event beyond all measure', `data: "${'x'.repeat(1_100_000)}"\n\n`],
  ])('ends with an error after %s', (_name, text) => {
    const frames = framesOf(convertText(streams.text.slice(0, streams.text.indexOf('event: message_delta')) + text))
    expect(frames.at(-1)).toMatchObject({ error: { message: expect.stringContaining('cannot be read') } })
  })

  it('writes neither an end nor usage without those of the provider', () => {
    const chat = convertText(streams.text.slice(0, streams.text.indexOf('event: message_delta')))
    expect(finishOf(chat)).toEqual([])
    expect(usageOf(chat)).toEqual([])
    expect(chat).not.toContain('[DONE]')
  })

  it('skips events and deltas of unknown types', () => {
    const strange = sse(
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: {} } },
      { type: 'surprise' },
    )
    const at = streams.text.indexOf('event: content_block_stop')
    expect(convertText(streams.text.slice(0, at) + strange + streams.text.slice(at))).toBe(convertText(streams.text))
  })

  it('gives the same stream wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(streams)), fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
        const bytes = Buffer.from(text)
        const whole = convert([bytes])
        expect(convert(cutAt(bytes, cuts))).toBe(whole)
        expect(convert([...bytes].map((byte) => Buffer.from([byte])))).toBe(whole)
      }),
      { numRuns: 50 },
    )
  })

  it.each(Object.entries(streams))(
    'never throws when %s is cut off at any byte, and adds only whole frames',
    (_name, text) => {
      const bytes = Buffer.from(text)
      for (let length = 0; length <= bytes.length; length += 1) {
        const chat = convert([bytes.subarray(0, length)])
        expect(chat === '' || chat.endsWith('\n\n')).toBe(true)
      }
    },
  )

  it('does not join a second message to the first one', () => {
    const frame = (data: object) => `data: ${JSON.stringify(data)}\n\n`
    const start = frame({ type: 'message_start', message: { usage: { input_tokens: 1 } } })
    const block = frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'A' } })
    const roles = (chat: string) => framesOf(chat).filter((each) => each.choices?.[0]?.delta.role !== undefined)
    expect(roles(convertText(start + start + block))).toHaveLength(1)
    expect(framesOf(convertText(start + block + start + block)).at(-1)).toMatchObject({ error: {} })
  })

  it('never throws, whatever the events contain', () => {
    const types = ['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta']
    const event = fc.record(
      {
        type: fc.oneof(fc.constantFrom(...types, 'error', 'message_stop'), fc.jsonValue()),
        index: fc.jsonValue(),
        message: fc.jsonValue(),
        delta: fc.oneof(fc.jsonValue(), fc.record({ text: fc.jsonValue(), partial_json: fc.jsonValue() })),
        content_block: fc.oneof(
          fc.jsonValue(),
          fc.record({ type: fc.constant('tool_use'), id: fc.string(), name: fc.string(), input: fc.jsonValue() }),
        ),
        usage: fc.jsonValue(),
        error: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 10 }), (events) => {
        framesOf(convertText(events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')))
      }),
      { numRuns: 300 },
    )
  })
})

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}
