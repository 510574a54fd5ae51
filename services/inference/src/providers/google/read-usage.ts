import { asObject } from '@ratchet/service-kit/values/json'
import { readCount } from '../../wire/json/read-count.ts'
import { noUsage, type Usage } from '../../wire/usage.ts'

/**
 * Reads `usageMetadata`, with plausibility checks. Google omits counts that are 0, counts thoughts beside the
 * candidates, and includes cached tokens in the prompt. The total shows omitted parts, and whether the candidates
 * include the thoughts after all.
 *
 * Null means that Google reported none.
 */
export function readUsage(value: unknown): Usage | null {
  const given = asObject(value)
  if (given === null) return null
  const total = readCount(given.totalTokenCount)
  const prompt = readCount(given.promptTokenCount)
  const candidates = readCount(given.candidatesTokenCount)
  if (prompt === null || (candidates === null && total === null)) return null
  const thoughts = readCount(given.thoughtsTokenCount) ?? 0
  const promptTokens = prompt + (readCount(given.toolUsePromptTokenCount) ?? 0)
  const rest = (total ?? 0) - promptTokens
  const completionTokens = rest >= (candidates ?? 0) ? rest : (candidates ?? 0) + thoughts
  return {
    ...noUsage,
    promptTokens,
    cachedPromptTokens: Math.min(readCount(given.cachedContentTokenCount) ?? 0, promptTokens),
    completionTokens,
    reasoningTokens: Math.min(thoughts, completionTokens),
  }
}
