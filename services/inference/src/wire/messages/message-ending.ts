import type { Fields } from '../chat/chat-chunk.ts'

/** What is known of the end of a chat completion's choice. */
export interface ChatEnding {
  readonly finishReason: unknown
  /** Some servers tell beside the finish reason which stop sequence it was. */
  readonly stoppedBy: unknown
  readonly hasCalls: boolean
  /** What the model said in place of an answer; empty when it did not refuse. */
  readonly refusal: string
}

/** The `stop_…` members of a message. @param asked the request's `stop_sequences` */
export function messageEnding({ finishReason, stoppedBy, hasCalls, refusal }: ChatEnding, asked: unknown): Fields {
  const sequence = Array.isArray(asked) && finishReason === 'stop' && asked.includes(stoppedBy) ? stoppedBy : null
  const reason = sequence === null ? reasonOf(finishReason, hasCalls) : 'stop_sequence'
  if (refusal === '' && reason !== 'refusal') return { stop_reason: reason, stop_sequence: sequence }
  const details = { type: 'refusal', category: null, explanation: refusal === '' ? null : refusal }
  return { stop_reason: 'refusal', stop_sequence: null, stop_details: details }
}

/** Some providers end an answer that calls tools as they end any other. */
function reasonOf(finishReason: unknown, hasCalls: boolean): string {
  if (finishReason === 'length') return 'max_tokens'
  if (finishReason === 'content_filter') return 'refusal'
  return hasCalls ? 'tool_use' : 'end_turn'
}
