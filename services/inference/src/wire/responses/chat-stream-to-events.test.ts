import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { createChatStreamTracker } from '../../surfaces/chat/chat-tracker.ts'
import { readObject } from '../chat/read-reply.ts'
import { chatReplyToResponse } from './chat-reply-to-response.ts'
import { chatStreamToEvents } from './chat-stream-to-events.ts'
import { chatFrame, chatStreams, deltaFrame } from './chat-streams.fixture.ts'
import { eventsIn, readWithSdk, track } from './read-stream.fixture.ts'
import { contextOf, responseId, responsesRequest } from './request.fixture.ts'

const streams = Object.entries(chatStreams)

/** Converts a stream that arrives in these pieces. */
function convert(...pieces: readonly (string | Buffer)[]): string {
  const converter = chatStreamToEvents(responsesRequest({ stream: true }))
  const output = pieces.map((piece) => converter.push(Buffer.from(piece)))
  return Buffer.concat([...output, converter.end()]).toString()
}

/** The type of each event with the text that it adds. */
function outline(stream: string): string[] {
  return eventsIn(stream).map(({ type, output_index, delta }) =>
    [String(type).replace('response.', ''), output_index, delta].filter((part) => part !== undefined).join(' '),
  )
}

it('translates a text to the events of OpenAI', () => {
  expect(outline(convert(chatStreams.text))).toEqual([
    'created',
    'in_progress',
    'output_item.added 0',
    'content_part.added 0',
    'output_text.delta 0 Grüße, ',
    'output_text.delta 0 🌍!',
    'output_text.done 0',
    'content_part.done 0',
    'output_item.done 0',
    'completed',
  ])
})

it('separates interleaved calls, and ends the text before them', () => {
  expect(outline(convert(chatStreams.interleavedCalls)).slice(4)).toEqual([
    'output_text.delta 0 Looking.',
    'output_text.done 0',
    'content_part.done 0',
    'output_item.done 0',
    'output_item.added 1',
    'output_item.added 2',
    'function_call_arguments.delta 2 {"z',
    'function_call_arguments.delta 1 {"city":',
    'function_call_arguments.delta 2 one":"UTC"}',
    'function_call_arguments.delta 1 "Oslo"}',
    'function_call_arguments.done 1',
    'output_item.done 1',
    'function_call_arguments.done 2',
    'output_item.done 2',
    'completed',
  ])
})

it('writes reasoning as an item of its own', () => {
  expect(outline(convert(chatStreams.reasoning)).slice(2, 10)).toEqual([
    'output_item.added 0',
    'content_part.added 0',
    'reasoning_text.delta 0 Let me ',
    'reasoning_text.delta 0 think.',
    'reasoning_text.done 0',
    'content_part.done 0',
    'output_item.done 0',
    'output_item.added 1',
  ])
})

it('assembles calls without indexes, and gives an id to one without', () => {
  const [done] = eventsIn(convert(chatStreams.looseCalls)).slice(-1) as { response: { output: object[] } }[]
  expect(done?.response.output).toEqual([
    expect.objectContaining({ type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{}' }),
    expect.objectContaining({ type: 'function_call', name: 'time', arguments: '{}' }),
  ])
})

/** The items at the end of a stream. */
function outputOf(stream: string): unknown[] {
  return (eventsIn(convert(stream)).at(-1) as { response: { output: unknown[] } }).response.output
}

it('separates calls that share an index but not an id', () => {
  expect(outputOf(chatStreams.sameIndex)).toEqual([
    expect.objectContaining({ call_id: 'a', name: 'weather', arguments: '{"city":"Oslo"}' }),
    expect.objectContaining({ call_id: 'b', name: 'time', arguments: '{}' }),
  ])
})

it('does not begin a new call for a new id', () => {
  expect(outputOf(chatStreams.newIds)).toEqual([
    expect.objectContaining({ call_id: 'a', name: 'weather', arguments: '{"city":"Oslo"}' }),
  ])
})

it('includes the members that a provider requires back with a call', () => {
  const extra_content = { google: { thought_signature: 'c2ln' } }
  expect(outputOf(chatStreams.signedCalls)).toMatchObject([{ call_id: 'a', extra_content }])
})

it('includes the reasoning before a turn`s calls with the first of them', () => {
  const reasoning_details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', index: 0 }]
  const [thought, first, second] = outputOf(chatStreams.thoughtfulCalls)
  expect(first).toMatchObject({ call_id: 'a', reasoning_details })
  for (const other of [thought, second]) expect(other).not.toHaveProperty('reasoning_details')
  const ended = eventsIn(convert(chatStreams.thoughtfulCalls)).filter(
    ({ type }) => type === 'response.output_item.done',
  )
  expect(ended[1]).toMatchObject({ item: { call_id: 'a', reasoning_details } })
})

it('gives calls ids that every provider accepts', () => {
  const nameless = { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] }
  const [call] = outputOf(deltaFrame(nameless) + chatStreams.text) as { call_id: string }[]
  expect(call?.call_id).toMatch(/^call_[0-9a-f]{1,35}$/)
})

it.each(streams)('numbers the events of the stream %s and gives them the gateway`s response id', (_name, stream) => {
  const events = eventsIn(convert(stream))
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
  const ids = events.flatMap(({ response }) => (response === undefined ? [] : [(response as { id: string }).id]))
  expect(new Set(ids)).toEqual(new Set([responseId]))
})

it.each(streams)(
  'lets the OpenAI SDK assemble the stream %s to what its last event contains',
  async (_name, stream) => {
    const text = convert(stream)
    const { response, seen } = await readWithSdk(text)
    const events = eventsIn(text)
    expect(seen.map(({ type }) => type)).toEqual(events.map(({ type }) => type))
    expect(response).toMatchObject(events.at(-1)?.response as object)
  },
)

it.each([
  ['text', { status: 'completed', output_text: 'Grüße, 🌍!', incomplete_details: null }],
  ['reasoning', { status: 'completed', output_text: 'Four.' }],
  ['cut', { status: 'incomplete', output_text: 'Once upon a', incomplete_details: { reason: 'max_output_tokens' } }],
  ['filtered', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
  ['empty', { status: 'completed', output: [] }],
] as const)('ends the stream %s as its finish reason says', async (name, expected) => {
  expect((await readWithSdk(convert(chatStreams[name]))).response).toMatchObject(expected)
})

it('passes usage on with its parts, and null when there is none', () => {
  const usageOf = (stream: string) =>
    (eventsIn(convert(stream)).at(-1) as { response: { usage: unknown } }).response.usage
  expect(usageOf(chatStreams.text)).toEqual({
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 10, cache_write_tokens: 0 },
    output_tokens: 12,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 42,
  })
  expect(usageOf(chatStreams.careless)).toBeNull()
})

it.each(streams)('gives the same response for the stream %s as for its completion', (_name, stream) => {
  const tracker = createChatStreamTracker(contextOf())
  track(tracker, stream)
  const whole = readObject(tracker.assemble() ?? Buffer.alloc(0))
  const reply = chatReplyToResponse(whole?.body ?? {}, responsesRequest({ stream: true }))
  const { response } = eventsIn(convert(stream)).at(-1) as { response: object }
  expect(JSON.parse(String(reply))).toEqual(response)
})

it.each([
  ['an error', chatFrame({ error: { message: 'overloaded' } }), 'overloaded'],
  ['invalid JSON', chatFrame('{"choices":'), 'The provider sent a stream that cannot be read.'],
  ['an end without a beginning', chatFrame('[DONE]'), 'The provider sent a stream that cannot be read.'],
])('ends in the error event of the dialect after %s', (_name, broken, message) => {
  const before = broken.includes('DONE') ? '' : deltaFrame({ content: 'He' })
  const events = eventsIn(convert(before + broken + chatStreams.text))
  expect(events.at(-1)).toMatchObject({ type: 'error', message, param: null })
})

it('does not complete an answer that broke off', () => {
  expect(outline(convert(deltaFrame({ content: 'He' }))).at(-1)).toBe('output_text.delta 0 He')
})

const aStream = fc.constantFrom(...streams.map(([, stream]) => Buffer.from(stream)))

it('gives the same bytes wherever a stream is cut', () => {
  fc.assert(
    fc.property(aStream, fc.array(fc.nat(2_000), { maxLength: 30 }), (stream, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % stream.length).sort((a, b) => a - b), stream.length]
      const pieces = places.slice(1).map((end, index) => stream.subarray(places[index], end))
      expect(convert(...pieces)).toBe(convert(stream))
    }),
  )
  for (const [, stream] of streams) {
    const bytes = Buffer.from(stream)
    expect(convert(...Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toBe(convert(bytes))
  }
})

it('never throws, wherever a stream ends and whatever is in it', () => {
  for (const stream of [chatStreams.interleavedCalls, chatStreams.text]) {
    const bytes = Buffer.from(stream)
    for (let end = 0; end <= bytes.length; end += 1) convert(bytes.subarray(0, end))
  }
  fc.assert(fc.property(fc.jsonValue(), (value) => void convert(chatFrame(JSON.stringify(value)))))
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (delta, more) => {
      convert(deltaFrame({ content: 'x' }) + deltaFrame(delta as object, { logprobs: more }) + chatStreams.looseCalls)
      convert(deltaFrame({ tool_calls: [delta, { index: 0, id: more, function: delta }] }) + chatStreams.text)
    }),
  )
})

it('takes as long for each delta, however many members a provider added to a call before it', () => {
  const frames = Array.from({ length: 400 }, (_, frame) => {
    const tool_calls = Array.from({ length: 50 }, (_each, at) => ({
      index: 0,
      ...(frame === 0 && at === 0 ? { id: 'c', function: { name: 'f', arguments: '{}' } } : {}),
      extra_content: { [`member${frame}x${at}`]: 1 },
    }))
    return `data: ${JSON.stringify({ id: 'i', model: 'm', choices: [{ index: 0, delta: { tool_calls } }] })}\n\n`
  })
  expect(cpuMs(() => convert(...frames))).toBeLessThan(2_000)
})
