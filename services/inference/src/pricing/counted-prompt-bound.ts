import type { PromptShape } from './prompt-shape.ts'
import { allowances } from './prompt-upper-bound.ts'

export interface CountedPrompt {
  /** Tokens of the prompt's text. */
  readonly tokens: number
  readonly shape: PromptShape
  /** Maximum tokens of one image with the model. */
  readonly imageTokensMax: number
  /** True when they were counted with the model's own vocabulary. */
  readonly exact: boolean
}

/** Tokens that another vocabulary may have per counted token (see `modelEncoding`), with a margin. */
const otherVocabulary = 1.5

/**
 * Tokens that a counted prompt will hardly exceed. It is closer to the real number than `promptTokensUpperBound`, but
 * with another vocabulary than the model's own it is not a strict bound.
 */
export function countedPromptBound({ tokens, shape, imageTokensMax, exact }: CountedPrompt): number {
  if (shape.unbounded) return Number.MAX_SAFE_INTEGER
  const text = exact ? tokens : Math.ceil(tokens * otherVocabulary)
  return text + (shape.soundLength ?? 0) + (shape.repeatedBytes ?? 0) + allowances(shape, imageTokensMax)
}
