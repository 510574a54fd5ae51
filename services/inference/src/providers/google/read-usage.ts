import { asObject } from '../../wire/chat/chat-chunk.ts'
import { readCount } from '../../wire/json/read-count.ts'
import { noUsage, type Usage } from '../../wire/usage.ts'

/**
 * Reads `usageMetadata`, believing it only as far as it makes sense. Google leaves out counts that are 0, counts
 * thoughts beside the candidates, and what was cached as a part of the prompt. The total tells what the parts leave
 * out, and whether thoughts were among the candidates after all.
 *
 * Null means that Google did not say.
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
