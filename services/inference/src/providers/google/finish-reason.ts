import type { FinishReason } from '../../wire/chat/write-chat.ts'

/** The model wrote something that is no answer, so there is none to finish. */
const failures = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
])

/**
 * Why an answer ended, in OpenAI's words; null when it failed. What Google ended, and not the model or its limit,
 * counts as filtered: SAFETY, RECITATION, BLOCKLIST, PROHIBITED_CONTENT, SPII, LANGUAGE, OTHER, and what comes to be.
 */
export function finishReasonOf(reason: string, hasCalls: boolean): FinishReason | null {
  if (failures.has(reason)) return null
  if (reason === 'STOP') return hasCalls ? 'tool_calls' : 'stop'
  return reason === 'MAX_TOKENS' ? 'length' : 'content_filter'
}
