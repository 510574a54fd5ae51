import { tokensOf } from '../../answers/tokenize.ts'
import type { Frame } from '../reply.ts'
import type { AnswerBlock, ContentBlock } from './content-block.ts'
import type { MessageUsage } from './message-usage.ts'

/** The events of a streamed message, in Anthropic's order: one token per delta (a call's name goes with its start), a ping after the first block began. */
export function* messageFrames(message: {
  head: object
  content: readonly AnswerBlock[]
  ending: object
  /** The usage of the first event and of the last one; null when the stream has none. */
  opening: object | null
  usage: MessageUsage | null
  /** False when only the first event has usage. */
  endsWithUsage: boolean
}): Generator<Frame> {
  const { head, content, ending, opening, usage, endsWithUsage } = message
  const blank = { content: [], stop_reason: null, stop_sequence: null, stop_details: null }
  yield frame('message_start', { message: { ...head, ...blank, ...(opening === null ? {} : { usage: opening }) } })
  for (const [index, { block, text }] of content.entries()) {
    const [start, type, member] = streamed(block)
    yield frame('content_block_start', { index, content_block: start }, block.type === 'tool_use' ? 1 : 0)
    if (index === 0) yield frame('ping', {})
    if (block.type === 'server_tool_use') yield frame('content_block_delta', { index, delta: { type, [member]: text } })
    else
      for (const token of tokensOf(text))
        yield frame('content_block_delta', { index, delta: { type, [member]: token } }, 1)
    if (block.type === 'thinking') {
      const delta = { type: 'signature_delta', signature: block.signature }
      yield frame('content_block_delta', { index, delta })
    }
    yield frame('content_block_stop', { index })
  }
  yield frame('message_delta', { delta: ending, ...(usage === null || !endsWithUsage ? {} : { usage }) })
  yield frame('message_stop', {})
}

/** The start of a block, and the names of its deltas. */
function streamed(block: ContentBlock): readonly [start: object, delta: string, member: string] {
  if (block.type === 'thinking') return [{ ...block, thinking: '', signature: '' }, 'thinking_delta', 'thinking']
  if (block.type === 'text') return [{ ...block, text: '' }, 'text_delta', 'text']
  if (block.type === 'web_search_tool_result') return [block, '', '']
  return [{ ...block, input: {} }, 'input_json_delta', 'partial_json']
}

function frame(type: string, members: object, tokens = 0): Frame {
  return { data: `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`, tokens }
}
