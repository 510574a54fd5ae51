import { noUsage, type Usage } from '../wire/usage.ts'
import type { PromptShape } from './prompt-shape.ts'

/** Bytes (or characters) of ordinary text per token, the usual rule of thumb for English. */
export const perToken = 4
/** Tokens of an ordinary image or clip, whose bytes say nothing about them. */
export const perMediaPart = 1_000

export interface Seen {
  /** Bytes of the request's body. */
  readonly bodyBytes: number
  readonly prompt: PromptShape
  /** Pieces of text that the model wrote; each is at least one token where they were streamed. */
  readonly pieces: number
  /** Characters of them. */
  readonly characters: number
  /** Whether the pieces came one by one. */
  readonly streamed: boolean
}

/**
 * Usage for an answer whose provider did not say, from what was seen of it. Nothing generated is
 * nothing used: the prompt counts only once the model began to answer.
 */
export function estimateUsage({ bodyBytes, prompt, pieces, characters, streamed }: Seen): Usage {
  const completionTokens = Math.max(streamed ? pieces : 0, Math.ceil(characters / perToken))
  const promptTokens = completionTokens === 0 ? 0 : estimatePrompt(bodyBytes, prompt)
  return { ...noUsage, promptTokens, completionTokens }
}

/** Tokens of a prompt, roughly: the text by its bytes, everything else by the piece. */
export function estimatePrompt(bodyBytes: number, shape: PromptShape): number {
  const { mediaParts, mediaLength, soundParts = 0, soundLength = 0, repeatedBytes = 0 } = shape
  const textBytes = Math.max(0, bodyBytes + repeatedBytes - mediaLength - soundLength)
  return Math.ceil(textBytes / perToken) + (mediaParts + soundParts) * perMediaPart
}
