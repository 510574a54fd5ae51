import type { Fields } from '@ratchet/service-kit/values/json'

/** The facts about the end of a chat completion's choice. */
export interface ChatEnding {
  readonly finishReason: unknown
  /** The stop sequence that ended the answer. Only some servers report it, beside the finish reason. */
  readonly stoppedBy: unknown
  readonly hasCalls: boolean
  /** The refusal of the model; empty when it did not refuse. */
  readonly refusal: string
}

/**
 * The `stop_…` members of a message.
 *
 * @param stopSequences the request's `stop_sequences`
 */
export function messageEnding(
  { finishReason, stoppedBy, hasCalls, refusal }: ChatEnding,
  stopSequences: unknown,
): Fields {
  const sequence =
    Array.isArray(stopSequences) && finishReason === 'stop' && stopSequences.includes(stoppedBy) ? stoppedBy : null
  const reason = sequence === null ? reasonOf(finishReason, hasCalls) : 'stop_sequence'
  if (refusal === '' && reason !== 'refusal') return { stop_reason: reason, stop_sequence: sequence }
  const details = { type: 'refusal', category: null, explanation: refusal === '' ? null : refusal }
  return { stop_reason: 'refusal', stop_sequence: null, stop_details: details }
}

/** Some providers end an answer with tool calls with the ordinary finish reason. */
function reasonOf(finishReason: unknown, hasCalls: boolean): string {
  if (finishReason === 'length') return 'max_tokens'
  if (finishReason === 'content_filter') return 'refusal'
  return hasCalls ? 'tool_use' : 'end_turn'
}
