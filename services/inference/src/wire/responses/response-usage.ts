import { asObject } from '@ratchet/service-kit/values/json'
import { readUsage } from '../chat/read-usage.ts'
import type { Usage } from '../usage.ts'

/** Reads the `usage` of a response with the same checks as that of a chat completion; null when there is none. */
export function readResponseUsage(value: unknown): Usage | null {
  const usage = asObject(value)
  if (usage === null) return null
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, total_tokens } = usage
  return readUsage({
    prompt_tokens: input_tokens,
    prompt_tokens_details: input_tokens_details,
    completion_tokens: output_tokens,
    completion_tokens_details: output_tokens_details,
    // Here reasoning is always part of the output tokens, so a sum that fits its addition would be a coincidence.
    total_tokens: isAnyCount(output_tokens) ? undefined : total_tokens,
  })
}

/** Usage in the fields of a response. */
export function wireResponseUsage({ promptTokens, completionTokens, ...parts }: Usage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: parts.cachedPromptTokens, cache_write_tokens: parts.cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: parts.reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}

function isAnyCount(value: unknown): boolean {
  return value !== undefined && value !== null
}
