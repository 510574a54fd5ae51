import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'

const codec = new EventStreamCodec(toUtf8, fromUtf8)

/** The bytes of one event as Bedrock sends it. */
export function eventBytes(name: string, payload: object): Buffer {
  return messageBytes({ ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }, payload)
}

/** The bytes of one exception inside a stream. */
export function exceptionBytes(name: string, message: string): Buffer {
  return messageBytes(
    { ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' },
    { message },
  )
}

/** The bytes of an event stream message with string headers. */
export function messageBytes(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const typed = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]),
  )
  return Buffer.from(codec.encode({ headers: typed, body: Buffer.from(JSON.stringify(payload)) }))
}

/** A complete answer: reasoning, text outside ASCII, two tool calls of which one has no arguments, usage. */
export const wholeAnswer: readonly Buffer[] = [
  eventBytes('messageStart', { p: 'abcd', role: 'assistant' }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm, ' } }, p: 'ab' }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Grüße.' } } }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'c2ln' } } }),
  eventBytes('contentBlockStop', { contentBlockIndex: 0 }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'Ich sehe ' } }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'nach 🌦' } }),
  eventBytes('contentBlockStop', { contentBlockIndex: 1 }),
  eventBytes('contentBlockStart', {
    contentBlockIndex: 2,
    start: { toolUse: { toolUseId: 'tooluse_a', name: 'weather' } },
  }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '' } } }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"city": "Zü' } } }),
  eventBytes('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: 'rich"}' } } }),
  eventBytes('contentBlockStop', { contentBlockIndex: 2 }),
  eventBytes('contentBlockStart', {
    contentBlockIndex: 3,
    start: { toolUse: { toolUseId: 'tooluse_b', name: 'time' } },
  }),
  eventBytes('contentBlockStop', { contentBlockIndex: 3 }),
  eventBytes('messageStop', { stopReason: 'tool_use' }),
  eventBytes('metadata', {
    metrics: { latencyMs: 921 },
    usage: {
      cacheReadInputTokens: 1024,
      cacheWriteInputTokens: 96,
      inputTokens: 12,
      outputTokens: 57,
      totalTokens: 1189,
    },
  }),
]
