import type { FinishReason } from '../../wire/chat/write-chat.ts'

/** Why the model stopped, in OpenAI's words. What is not here ended as it should. */
const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

export function finishReasonOf(stopReason: unknown): FinishReason {
  return reasons.get(stopReason) ?? 'stop'
}
