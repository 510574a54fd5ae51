import { perToken } from '../wire/estimated-tokens.ts'
import { noUsage, type Usage } from '../wire/usage.ts'
import type { PromptShape } from './prompt-shape.ts'

/** Tokens of an ordinary image or clip, whose bytes do not indicate them. */
export const perMediaPart = 1_000

export interface Seen {
  /** Bytes of the request's body. */
  readonly bodyBytes: number
  readonly prompt: PromptShape
  /** Number of texts that the model generated. Each is at least one token when they were streamed. */
  readonly pieces: number
  /** Number of characters of the texts. */
  readonly characters: number
  /** Tokens of reasoning that is not among the texts; may be a fraction. */
  readonly hiddenTokens: number
  /** True when the texts were streamed. */
  readonly streamed: boolean
  /** True when the prompt is paid even if nothing was generated. */
  readonly owesPrompt: boolean
}

/**
 * Estimates the usage of an answer whose provider did not report it. An answer without generated text costs nothing,
 * unless its prompt is owed.
 */
export function estimateUsage(seen: Seen): Usage {
  const { bodyBytes, prompt, pieces, characters, hiddenTokens, streamed, owesPrompt } = seen
  const visibleTokens = Math.max(streamed ? pieces : 0, Math.ceil(characters / perToken))
  const completionTokens = visibleTokens + Math.ceil(hiddenTokens)
  const promptTokens = completionTokens === 0 && !owesPrompt ? 0 : estimatePrompt(bodyBytes, prompt)
  return { ...noUsage, promptTokens, completionTokens }
}

/** A rough estimate of a prompt's tokens: text by its bytes, everything else by number. */
export function estimatePrompt(bodyBytes: number, shape: PromptShape): number {
  const { mediaParts, mediaLength, soundParts = 0, soundLength = 0, repeatedBytes = 0 } = shape
  const textBytes = Math.max(0, bodyBytes + repeatedBytes - mediaLength - soundLength)
  return Math.ceil(textBytes / perToken) + (mediaParts + soundParts) * perMediaPart
}
