import type { FinishReason } from '../../wire/chat/write-chat.ts'

/** Reasons for which the model's output is invalid, so there is no answer. */
const failures = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
])

/**
 * OpenAI's finish reason; null when the answer failed. A reason that comes from Google, and not from the model or its
 * limit, counts as filtered: SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII, LANGUAGE, OTHER and unknown ones.
 */
export function finishReasonOf(reason: string, hasCalls: boolean): FinishReason | null {
  if (failures.has(reason)) return null
  if (reason === 'STOP') return hasCalls ? 'tool_calls' : 'stop'
  return reason === 'MAX_TOKENS' ? 'length' : 'content_filter'
}
