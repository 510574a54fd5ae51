import fc from 'fast-check'
import { readObject } from '../../wire/chat/read-reply.ts'
import { chatStreamToEvents } from '../../wire/responses/chat-stream-to-events.ts'
import { chatStreams } from '../../wire/responses/chat-streams.fixture.ts'
import { nativeStreams, wholeReply } from '../../wire/responses/native-streams.fixture.ts'
import { readResponsesReply } from '../../wire/responses/read-responses-reply.ts'
import { eventsIn, readWithSdk, track } from '../../wire/responses/read-stream.fixture.ts'
import { chargedFor, contextOf, responseId, responsesRequest } from '../../wire/responses/request.fixture.ts'
import type { Charged } from '../surface.ts'
import { responsesSurface } from './responses-surface.ts'
import { createResponsesTracker } from './responses-tracker.ts'

/** The stream that a client gets from a provider's stream, and the tracker that processed it. */
function pass(
  stream: string | Buffer | readonly Buffer[],
  { body = {}, charged = chargedFor() }: { body?: object; charged?: Charged } = {},
) {
  const tracker = createResponsesTracker(contextOf({ stream: true, ...body }))
  const { sent, verdicts } = track(tracker, stream)
  return { tracker, verdicts, sent, whole: sent + (tracker.done ? tracker.tail(charged) : '') }
}

const usage = {
  promptTokens: 30,
  cachedPromptTokens: 10,
  cacheWriteTokens: 0,
  completionTokens: 12,
  reasoningTokens: 5,
  searches: 0,
}

it("forwards a native stream under the gateway's id, with the members that it lacks, and all other bytes unchanged", () => {
  const { whole } = pass(nativeStreams.completed, { body: { previous_response_id: 'resp_0', store: true } })
  const expected = nativeStreams.completed
    .replaceAll(wholeReply.id, responseId)
    .replaceAll('"created_at":1756315696', '"created_at":1770000000')
    .replaceAll('"previous_response_id":null', '"previous_response_id":"resp_0"')
    .replaceAll('"store":false', '"store":true')
    .replace('"total_tokens":42}', '"total_tokens":42,"cost_usd":0.000003}')
    .replaceAll(
      ',"user":null}',
      ',"completed_at":null,"frequency_penalty":0,"presence_penalty":0,"prompt_cache_key":null,"safety_identifier":null,"top_logprobs":0}',
    )
    .replace(/"completed_at":null(?=[^\n]*\n\n$)/, '"completed_at":1770000000')
  expect(whole).toBe(expected)
})

it('holds back only the event that ends the answer', () => {
  const { verdicts, tracker } = pass(nativeStreams.completed)
  expect(verdicts.filter((verdict) => verdict === 'hold')).toHaveLength(1)
  expect(verdicts.at(-1)).toBe('hold')
  expect(tracker).toMatchObject({ done: true, finished: true, usage, errorMessage: null })
})

it('collects the text that the model generated, including names in items', () => {
  const { tracker } = pass(nativeStreams.completed)
  expect(tracker.generated.texts).toEqual(['**Greeting** the world', 'Grüße, ', '🌍!', 'weather', '{"city":"Oslo"}'])
  expect(tracker.generated.characters).toBe(tracker.generated.texts.join('').length)
})

it('counts the calls of tools that OpenAI runs before any usage, without pages that cost nothing', () => {
  const done = (item: object) => `data: ${JSON.stringify({ type: 'response.output_item.done', item })}\n\n`
  const search = (type: string, status = 'completed') => done({ type: 'web_search_call', status, action: { type } })
  const unfinished = ['failed', 'searching', 'in_progress'].map((status) => search('search', status)).join('')
  const { tracker } = pass(
    search('search') + search('open_page') + search('search') + unfinished + done({ type: 'code_interpreter_call' }),
  )
  expect([tracker.hostedCalls, tracker.usage]).toEqual([{ webSearches: 2, containers: 1 }, null])
})

it('knows which tools of OpenAI run: those that were added and are not done', () => {
  const event = (type: string, item: object) =>
    `data: ${JSON.stringify({ type: `response.output_item.${type}`, item })}\n\n`
  const begin = (type: string) => event('added', { type })
  const end = (type: string) => event('done', { type, status: 'failed' })
  const [search, code] = ['web_search_call', 'code_interpreter_call']
  const openAfter = (...events: string[]) => pass(events.join('')).tracker.openCalls
  expect(openAfter(begin(search), begin(code), begin('message'))).toEqual({ webSearches: 1, containers: 1 })
  expect(openAfter(begin(search), begin(search), end(search), begin(code), end(code))).toEqual({
    webSearches: 1,
    containers: 0,
  })
})

it('adds the cost, and the counted usage when the provider gave none', () => {
  const { whole, tracker } = pass(nativeStreams.withoutUsage, { charged: chargedFor({ isReported: false }) })
  expect(tracker.usage).toBeNull()
  expect(eventsIn(whole).at(-1)).toMatchObject({
    type: 'response.completed',
    response: {
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 1 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 7,
        cost_usd: 0.000003,
      },
    },
  })
})

it.each([
  ['failed', 'The model broke.'],
  ['error', 'No more.'],
  ['nestedError', 'No more.'],
] as const)('treats the stream %s as the failure that it reports', (name, message) => {
  const { tracker, verdicts } = pass(nativeStreams[name])
  expect(verdicts.at(-1)).toBe('error')
  expect(tracker).toMatchObject({ done: false, finished: false, errorMessage: message })
})

it.each([
  ['no JSON', 'data: {"type":\n\n'],
  ['no type', 'data: {"delta":"x"}\n\n'],
  ['an end without a response', 'data: {"type":"response.completed"}\n\n'],
  ['a page of HTML', '<html>\n\n'],
])('calls %s malformed', (_name, frame) => {
  expect(pass(frame).verdicts).toEqual(['malformed'])
})

it('forwards comments and unknown events, and drops frames that clients cannot read', () => {
  expect(pass(': ping\n\nevent: keepalive\ndata: {"type":"keepalive"}\n\ndata: [DONE]\n\n').verdicts).toEqual([
    'forward',
    'forward',
    'skip',
  ])
  expect(pass(`${nativeStreams.completed}data: [DONE]\n\n`).verdicts.at(-1)).toBe('skip')
})

it('is not finished when the stream ends before its last event', () => {
  const { tracker } = pass(nativeStreams.completed.slice(0, -400))
  expect([tracker.done, tracker.finished, tracker.assemble()]).toEqual([false, false, null])
})

it.each(['completed', 'incomplete'] as const)('assembles the unstreamed answer from the stream %s', (name) => {
  const reply = readResponsesReply(pass(nativeStreams[name]).tracker.assemble() ?? Buffer.alloc(0))
  expect(reply).toMatchObject({ usage })
  expect(JSON.parse(String(reply?.bytes))).toMatchObject({ status: name, output: wholeReply.output })
})

it.each(['completed', 'incomplete', 'withoutUsage'] as const)(
  'lets the OpenAI SDK read the stream %s',
  async (name) => {
    const { response } = await readWithSdk(pass(nativeStreams[name]).whole)
    expect(response).toMatchObject({ id: responseId, output_text: 'Grüße, 🌍!', output: wholeReply.output })
  },
)

it('adds only the cost and the time to a stream that was translated from chat', () => {
  const request = responsesRequest({ stream: true })
  for (const stream of Object.values(chatStreams).filter((each) => each !== chatStreams.careless)) {
    const converter = chatStreamToEvents(request)
    const events = Buffer.concat([converter.push(Buffer.from(stream)), converter.end()]).toString()
    const withoutCost = pass(events).whole.replace(',"cost_usd":0.000003', '')
    const timed = events.replaceAll('"created_at":1760000000', '"created_at":1770000000')
    const isCompleted = timed.includes('event: response.completed')
    const end = isCompleted ? timed.replace(/"completed_at":null(?=[^\n]*\n\n$)/, '"completed_at":1770000000') : timed
    expect(withoutCost).toBe(end)
  }
})

/** Spreads every frame over several lines, as servers do that indent their JSON. */
function printed(stream: string): string {
  return stream.replace(/^data: (\{.*\})$/gm, (_line, json: string) =>
    JSON.stringify(JSON.parse(json), null, 1).replace(/^/gm, 'data: '),
  )
}

/** A stream that was translated from a chat completion. */
function converted(stream: string): string {
  const converter = chatStreamToEvents(responsesRequest({ stream: true }))
  return Buffer.concat([converter.push(Buffer.from(stream)), converter.end()]).toString()
}

const recorded: readonly (readonly [string, string])[] = [
  ...Object.entries(nativeStreams),
  ['with CRLF', nativeStreams.completed.replaceAll('\n', '\r\n')],
  ['with CR', nativeStreams.incomplete.replaceAll('\n', '\r')],
  ['over many lines', printed(nativeStreams.completed)],
  ['over many lines with CRLF', printed(nativeStreams.failed).replaceAll('\n', '\r\n')],
  ['with comments', nativeStreams.completed.replaceAll('event: ', ': ping\n\nevent: ')],
  ['without goodbye', nativeStreams.completed.trimEnd()],
  ['cut in a frame', nativeStreams.completed.slice(0, -60)],
  ['of calls', converted(chatStreams.interleavedCalls)],
  ['of signed calls', converted(chatStreams.signedCalls)],
  ['of reasoning', converted(chatStreams.reasoning)],
]

/** All results of a tracker that reads a stream in these pieces. */
function outcome(pieces: readonly Buffer[]) {
  const { tracker, verdicts, whole } = pass(pieces)
  const { done, finished, usage: counted, isUsageFinal, generated, errorMessage } = tracker
  return {
    whole,
    done,
    finished,
    counted,
    isUsageFinal,
    hiddenTokens: generated.hiddenTokens,
    errorMessage,
    pieces: generated.texts,
    verdicts: verdicts.map(String),
    assembled: String(tracker.assemble()),
  }
}

it.each(recorded)('gives the same results for the stream %s wherever it is cut', (_name, stream) => {
  const bytes = Buffer.from(stream)
  const expected = outcome([bytes])
  expect(outcome(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toEqual(expected)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
      const bounds = [0, ...cuts.toSorted((left, right) => left - right), bytes.length]
      expect(outcome(bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end)))).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})

it.each(['with CRLF', 'over many lines', 'with comments', 'without goodbye'])(
  'reads the stream %s as the plain one',
  (name) => {
    const stream = recorded.find(([each]) => each === name)?.[1] ?? ''
    const { tracker, whole } = pass(stream)
    expect(tracker).toMatchObject({ done: true, usage, generated: pass(nativeStreams.completed).tracker.generated })
    expect(eventsIn(whole.replaceAll('\r\n', '\n').replaceAll(': ping\n\n', ''))).toEqual(
      eventsIn(pass(nativeStreams.completed).whole),
    )
  },
)

it.each(recorded)('never throws, wherever the stream %s ends', (_name, stream) => {
  const bytes = Buffer.from(stream)
  fc.assert(fc.property(fc.nat(bytes.length), (end) => void pass(bytes.subarray(0, end))))
})

it('never throws, whatever an event contains', () => {
  const types = fc.constantFrom(
    'response.created',
    'response.completed',
    'response.output_item.added',
    'error',
    'response.failed',
  )
  fc.assert(
    fc.property(types, fc.jsonValue(), fc.jsonValue(), (type, response, item) => {
      pass(`event: ${type}\ndata: ${JSON.stringify({ type, response, item, delta: item, error: response })}\n\n`)
      pass(`data: ${JSON.stringify({ type, response: { usage: item, output: response, id: item } })}\n\n`)
    }),
  )
})

describe('replay', () => {
  /** Streams a reply that was stored as the client got it. */
  function replay(reply: object): { stored: Record<string, unknown>; stream: string } {
    const read = readObject(Buffer.from(JSON.stringify(reply)))
    if (read === null || responsesSurface.stream === null) throw new Error('unreadable')
    const context = contextOf({ stream: true })
    const bytes = responsesSurface.finishReply(
      { bytes: Buffer.from(JSON.stringify(reply)), scan: read.scan },
      chargedFor(),
      context,
    )
    const stored = readObject(bytes)
    if (stored === null) throw new Error('unreadable')
    const stream = responsesSurface.stream.replay(
      { bytes, scan: stored.scan },
      chargedFor({ chargedNano: 0n }),
      context,
    )
    return { stored: stored.body, stream }
  }

  it.each([
    ['completed', wholeReply],
    ['incomplete', { ...wholeReply, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    [
      'refused',
      {
        ...wholeReply,
        output: [
          {
            type: 'message',
            id: 'm',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'refusal', refusal: 'No.' }],
          },
        ],
      },
    ],
    [
      'reasoned aloud',
      {
        ...wholeReply,
        output: [
          {
            type: 'reasoning',
            id: 'r',
            summary: [],
            content: [{ type: 'reasoning_text', text: 'Hm.' }],
            status: 'completed',
          },
        ],
      },
    ],
    [
      'that called a custom tool',
      {
        ...wholeReply,
        output: [{ type: 'custom_tool_call', id: 'c', call_id: 'x', name: 'grep', input: 'a', status: 'completed' }],
      },
    ],
  ])(
    'writes a response %s as a stream from which the OpenAI SDK assembles it, free of charge',
    async (_name, reply) => {
      const { stored, stream } = replay(reply)
      const { response } = await readWithSdk(stream)
      expect(response).toMatchObject({ ...stored, usage: { ...(stored.usage as object), cost_usd: 0 } })
      expect(eventsIn(stream).map(({ sequence_number }) => sequence_number)).toEqual(
        eventsIn(stream).map((_, index) => index),
      )
    },
  )
})

it('writes an error event that the OpenAI SDK throws', async () => {
  const error = {
    message: 'Broken (request id r1).',
    type: 'upstream_error',
    code: null,
    param: null,
    request_id: 'r1',
  }
  const frame = responsesSurface.errorFrame({ error })
  expect(eventsIn(frame)).toEqual([{ ...error, type: 'error', error }])
  await expect(readWithSdk(nativeStreams.failed.split('event: response.failed')[0] + frame)).rejects.toThrow('Broken')
})
