import { type Fields, isObject } from '@ratchet/service-kit/values/json'
import type { Usage } from '../usage.ts'

/**
 * Reads the `usage` object of an OpenAI-compatible provider, with plausibility checks.
 *
 * Null means that the provider reported none: there is no object, or the tokens of the prompt or of the completion are
 * neither given nor follow from `total_tokens`, or are not a whole number from 0 to 1,000,000,000. An explicit 0 is 0.
 * Cached and reasoning tokens are parts of those two, so they are limited to them; invalid values of them count as 0.
 */
export function readUsage(value: unknown): Usage | null {
  if (!isObject(value)) return null
  const total = countOf(value.total_tokens)
  const promptTokens = countOf(value.prompt_tokens)
  const completion = countOf(value.completion_tokens ?? difference(total, promptTokens))
  if (promptTokens === null || completion === null) return null
  const reasoning = reasoningIn(value)
  const isReasoningExtra = total === promptTokens + completion + reasoning // xAI counts reasoning beside the completion
  const completionTokens = isReasoningExtra ? completion + reasoning : completion
  const cached = Math.min(cachedIn(value), promptTokens)
  return {
    promptTokens,
    cachedPromptTokens: cached,
    cacheWriteTokens: Math.min(writtenIn(value), promptTokens - cached),
    completionTokens,
    reasoningTokens: Math.min(reasoning, completionTokens),
    searches: 0,
  }
}

function reasoningIn({ completion_tokens_details: details, reasoning_tokens: own }: Fields): number {
  return countOf(isObject(details) ? details.reasoning_tokens : undefined) ?? countOf(own) ?? 0
}

function cachedIn({
  prompt_tokens_details: details,
  prompt_cache_hit_tokens: hits,
  cached_tokens: own,
}: Fields): number {
  const standard = countOf(isObject(details) ? details.cached_tokens : undefined)
  return standard ?? countOf(hits) ?? countOf(own) ?? 0 // DeepSeek and Moonshot have members of their own
}

/** Only some providers charge for writing to their cache. */
function writtenIn({ prompt_tokens_details: details }: Fields): number {
  return countOf(isObject(details) ? details.cache_write_tokens : undefined) ?? 0
}

/** More than any request can have. */
const MAX_TOKENS = 1_000_000_000

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : null
}

function difference(total: number | null, part: number | null): number | null {
  return total === null || part === null ? null : total - part
}
