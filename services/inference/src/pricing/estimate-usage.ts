import { noUsage, type Usage } from '../wire/usage.ts'
import type { PromptShape } from './prompt-shape.ts'

/** Bytes or characters of ordinary text per token, the usual rule of thumb for English. */
export const perToken = 4
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
  /** True when the texts were streamed. */
  readonly streamed: boolean
}

/**
 * Estimates the usage of an answer whose provider did not report it. Without generated text the usage is zero: the
 * prompt counts only once the model began to answer.
 */
export function estimateUsage({ bodyBytes, prompt, pieces, characters, streamed }: Seen): Usage {
  const completionTokens = Math.max(streamed ? pieces : 0, Math.ceil(characters / perToken))
  const promptTokens = completionTokens === 0 ? 0 : estimatePrompt(bodyBytes, prompt)
  return { ...noUsage, promptTokens, completionTokens }
}

/** A rough estimate of a prompt's tokens: text by its bytes, everything else by number. */
export function estimatePrompt(bodyBytes: number, shape: PromptShape): number {
  const { mediaParts, mediaLength, soundParts = 0, soundLength = 0, repeatedBytes = 0 } = shape
  const textBytes = Math.max(0, bodyBytes + repeatedBytes - mediaLength - soundLength)
  return Math.ceil(textBytes / perToken) + (mediaParts + soundParts) * perMediaPart
}
