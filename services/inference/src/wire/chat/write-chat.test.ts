import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import fc from 'fast-check'
import { createChatStreamTracker } from '../../surfaces/chat/chat-tracker.ts'
import { checkChatRequest } from '../../surfaces/chat/check-chat-request.ts'
import type { Usage } from '../usage.ts'
import { readChatReply } from './read-reply.ts'
import { readUsage } from './read-usage.ts'
import { createChunkWriter, type FinishReason, type WrittenMessage, wireUsage, writeChatReply } from './write-chat.ts'

const head = { id: 'c1', created: 1, model: 'm' }
const count = fc.nat(100_000)
const usage: fc.Arbitrary<Usage> = fc
  .record({ plain: count, cached: count, written: count, completion: count, reasoning: count })
  .map(({ plain, cached, written, completion, reasoning }) => ({
    promptTokens: plain + cached + written,
    cachedPromptTokens: cached,
    cacheWriteTokens: written,
    completionTokens: completion + reasoning,
    reasoningTokens: reasoning,
    searches: 0,
  }))
const text = fc.string({ unit: 'binary', minLength: 1 })
const reason: fc.Arbitrary<FinishReason> = fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter')
const message = fc.record({
  text: fc.option(text),
  reasoning: fc.option(text),
  refusal: fc.option(text),
  toolCalls: fc.array(fc.record({ id: text, name: text, arguments: fc.json() }), { maxLength: 3 }),
  finishReason: reason,
})

/** The same message as the stream of a provider, in pieces. */
function streamed({ text, reasoning, refusal, toolCalls, finishReason }: WrittenMessage, used: Usage): string {
  const writer = createChunkWriter(head)
  const pieces = (whole: string | null | undefined) => [...(whole ?? '')]
  return [
    writer.role(),
    ...pieces(reasoning).map((piece) => writer.reasoning(piece)),
    ...pieces(text).map((piece) => writer.text(piece)),
    ...pieces(refusal).map((piece) => writer.refusal(piece)),
    ...toolCalls.flatMap(({ arguments: json, ...call }, index) => [
      writer.toolCall(index, call),
      ...pieces(json).map((piece) => writer.toolArguments(index, piece)),
    ]),
    writer.finish(finishReason),
    writer.usage(used),
    writer.done(),
  ].join('')
}

function follow(stream: string) {
  const checked = checkChatRequest({ model: 'm', messages: [{ role: 'user' }], stream: true })
  if (!checked.ok) throw new Error(checked.message)
  const reader = createSseReader({ maxEventBytes: 1_000_000 })
  const tracker = createChatStreamTracker({ facts: checked.facts, created: 1 })
  const verdicts = reader.push(Buffer.from(stream)).map((event) => tracker.accept(event))
  return { tracker, verdicts }
}

describe('wireUsage', () => {
  it('is read back unchanged', () => {
    fc.assert(fc.property(usage, (used) => expect(readUsage(wireUsage(used))).toEqual(used)))
  })
})

describe('writeChatReply', () => {
  it('is a chat completion from which its usage and its texts are read back', () => {
    fc.assert(
      fc.property(message, fc.option(usage), (written, used) => {
        const reply = readChatReply(writeChatReply(head, written, used))
        const called = written.toolCalls.flatMap(({ name, arguments: json }) => [name, json])
        const said = [written.text, written.reasoning, written.refusal, ...called].filter((each) => each !== null)
        expect(reply?.usage).toEqual(used)
        expect(reply?.pieces).toEqual(said)
      }),
    )
  })

  it('omits what the answer does not have: reasoning, tool calls, usage', () => {
    const bytes = writeChatReply(head, { text: 'Hi', toolCalls: [], finishReason: 'stop' }, null)
    expect(JSON.parse(bytes.toString())).toEqual({
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
    })
  })

  it('includes the members that a client must send back with a call', () => {
    const extraContent = { google: { thought_signature: 'abc' } }
    const call = { id: 'call_1', name: 'f', arguments: '{}', extraContent }
    const bytes = writeChatReply(head, { text: null, toolCalls: [call], finishReason: 'tool_calls' }, null)
    expect(JSON.parse(bytes.toString()).choices[0].message.tool_calls).toEqual([
      { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: extraContent },
    ])
  })
})

describe('createChunkWriter', () => {
  it('writes a stream from which the unstreamed message is assembled', () => {
    fc.assert(
      fc.property(message, usage, (written, used) => {
        const { tracker, verdicts } = follow(streamed(written, used))
        expect(verdicts.slice(-2)).toEqual(['hold', 'hold'])
        expect(tracker).toMatchObject({ done: true, finished: true, usage: used })
        const whole = JSON.parse(writeChatReply(head, written, used).toString())
        const [{ message: said, ...choice }] = whole.choices
        // A stream begins with an empty text, which remains when there is neither text nor a call.
        const content = written.text ?? (written.toolCalls.length > 0 ? null : '')
        expect(JSON.parse(String(tracker.assemble()))).toEqual({
          ...whole,
          choices: [{ ...choice, message: { ...said, content } }],
        })
      }),
    )
  })

  it('splits long texts into frames of at most 64 KB and never splits a character', () => {
    const long = fc.string({
      unit: fc.constantFrom('a', '"', '\u0001', '🌍', 'é'),
      minLength: 30_000,
      maxLength: 40_000,
    })
    const writer = createChunkWriter(head)
    const writes = [writer.text, writer.reasoning, writer.refusal, (piece: string) => writer.toolArguments(0, piece)]
    fc.assert(
      fc.property(long, fc.constantFrom(...writes), (whole, write) => {
        const frames = write(whole).split('\n\n').slice(0, -1)
        const pieces = frames.map((frame) => {
          const [{ delta }] = JSON.parse(frame.slice('data: '.length)).choices
          return delta.tool_calls?.[0].function.arguments ?? Object.values(delta)[0]
        })
        expect(Math.max(...frames.map((frame) => Buffer.byteLength(frame)))).toBeLessThanOrEqual(65_536)
        expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
        expect(pieces.join('')).toBe(whole)
      }),
      { numRuns: 20 },
    )
  })

  it('writes an error that a tracker reads', () => {
    const { tracker, verdicts } = follow(createChunkWriter(head).error('The provider failed.'))
    expect(verdicts).toEqual(['error'])
    expect(tracker.errorMessage).toBe('The provider failed.')
  })
})
