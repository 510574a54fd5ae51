import { asObject } from '@ratchet/service-kit/values/json'
import { noUsage, type Usage } from '../../wire/usage.ts'

/** More than any request can have. */
const maxTokens = 1_000_000_000

/** Model families whose input tokens include cached ones, contrary to the documentation. */
const grossFamilies = /(^|[./])openai\./

/**
 * Reads Converse's `usage`. Null when the tokens of the prompt or of the answer are missing or not a whole number.
 *
 * As documented, `inputTokens` excludes tokens that were read from or written to the cache, so the prompt is the sum of
 * the three. `totalTokens` adds no information and is not read. `outputTokens` includes reasoning, which is not
 * reported separately.
 */
export function readConverseUsage(value: unknown, modelId: string): Usage | null {
  const usage = asObject(value)
  const input = countOf(usage?.inputTokens)
  const output = countOf(usage?.outputTokens)
  if (input === null || output === null) return null
  const cached = countOf(usage?.cacheReadInputTokens) ?? 0
  const written = countOf(usage?.cacheWriteInputTokens) ?? 0
  const isGross = grossFamilies.test(modelId) && input >= cached + written
  return {
    ...noUsage,
    promptTokens: isGross ? input : input + cached + written,
    cachedPromptTokens: cached,
    cacheWriteTokens: written,
    completionTokens: output,
  }
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens ? value : null
}
