import type { FinishReason } from '../../wire/chat/write-chat.ts'

const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
])

/** OpenAI's finish reason for Bedrock's stop reason; `stop` for unknown ones. */
export function finishReasonOf(stopReason: unknown): FinishReason {
  return reasons.get(stopReason) ?? 'stop'
}

/** True when Bedrock reports that the model's output is invalid. */
export function isMalformed(stopReason: unknown): boolean {
  return stopReason === 'malformed_model_output' || stopReason === 'malformed_tool_use'
}
