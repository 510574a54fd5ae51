import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'
import { tokensOf } from '../../answers/tokenize.ts'
import type { Frame } from '../reply.ts'
import type { AnswerBlock, ContentBlock } from './converse-block.ts'

/** The events of a streamed answer, in Bedrock's order: one token per delta (a call's name goes with its start). */
export function* converseFrames(answer: {
  content: readonly AnswerBlock[]
  stopReason: string
  /** The content of the last event: latency, and usage if it is reported. */
  metadata: object
  isMetadataEarly: boolean
}): Generator<Frame> {
  const { content, stopReason, metadata, isMetadataEarly } = answer
  yield eventFrame('messageStart', { role: 'assistant' })
  if (isMetadataEarly) yield eventFrame('metadata', metadata)
  for (const [contentBlockIndex, { block, text }] of content.entries()) {
    if ('toolUse' in block) {
      const { toolUseId, name } = block.toolUse
      yield eventFrame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } }, 1)
    }
    for (const token of tokensOf(text)) {
      yield eventFrame('contentBlockDelta', { contentBlockIndex, delta: deltaOf(block, token) }, 1)
    }
    if ('reasoningContent' in block) {
      const { signature } = block.reasoningContent.reasoningText
      yield eventFrame('contentBlockDelta', { contentBlockIndex, delta: { reasoningContent: { signature } } })
    }
    yield eventFrame('contentBlockStop', { contentBlockIndex })
  }
  yield eventFrame('messageStop', { stopReason })
  if (!isMetadataEarly) yield eventFrame('metadata', metadata)
}

/** An error of Bedrock after the stream has begun. */
export function exceptionFrame(name: string, message: string): Buffer {
  return encoded({ ':exception-type': name, ':message-type': 'exception' }, { message })
}

function deltaOf(block: ContentBlock, token: string): object {
  if ('reasoningContent' in block) return { reasoningContent: { text: token } }
  return 'toolUse' in block ? { toolUse: { input: token } } : { text: token }
}

function eventFrame(name: string, event: object, tokens = 0): Frame {
  return { data: encoded({ ':event-type': name, ':message-type': 'event' }, event), tokens }
}

const codec = new EventStreamCodec(toUtf8, fromUtf8)

function encoded(headers: Readonly<Record<string, string>>, payload: object): Buffer {
  const all = Object.entries({ ...headers, ':content-type': 'application/json' })
  const typed = Object.fromEntries(all.map(([name, value]) => [name, { type: 'string' as const, value }]))
  return Buffer.from(codec.encode({ headers: typed, body: Buffer.from(JSON.stringify(payload)) }))
}
