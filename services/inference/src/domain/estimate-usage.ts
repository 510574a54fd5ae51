import { soundUsage, type TokenUsage } from './price.ts'
import type { Usage } from './usage.ts'

/** Bytes (or characters) of ordinary text per token, the usual rule of thumb for English. */
const perToken = 4

export interface Generated {
  /** Bytes of the request's prompt. */
  readonly promptBytes: number
  /** Pieces of text the provider streamed; each is at least one token. 0 when not streamed. */
  readonly deltas: number
  /** Characters the model wrote. */
  readonly characters: number
}

/**
 * Usage for an answer whose provider did not say, from what was seen of it. Nothing generated is
 * nothing used: the prompt counts only once the model began to answer.
 */
export function estimateUsage({ promptBytes, deltas, characters }: Generated): Usage {
  const completionTokens = Math.max(deltas, Math.ceil(characters / perToken))
  const promptTokens = completionTokens === 0 ? 0 : Math.ceil(promptBytes / perToken)
  return { promptTokens, cachedPromptTokens: 0, completionTokens, reasoningTokens: 0 }
}

/** What to charge for: the provider's own count where it can be true, else an estimate of what was seen. */
export function chargeableUsage(reported: Usage | null, generated: Generated): TokenUsage {
  return (reported === null ? null : soundUsage(reported)) ?? estimateUsage(generated)
}
