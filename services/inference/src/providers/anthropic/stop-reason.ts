import type { FinishReason } from '../../wire/chat/write-chat.ts'

/** OpenAI's finish reason for each stop reason. Any other stop reason is an ordinary end. */
const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

export function finishReasonOf(stopReason: unknown): FinishReason {
  return reasons.get(stopReason) ?? 'stop'
}
