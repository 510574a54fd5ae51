import type { PromptShape } from './prompt-shape.ts'
import { allowances } from './prompt-upper-bound.ts'

export interface CountedPrompt {
  /** Tokens of the prompt's text. */
  readonly tokens: number
  readonly shape: PromptShape
  /** The most tokens one image counts as with the model. */
  readonly imageTokensMax: number
  /** Whether they were counted with the model's own vocabulary. */
  readonly exact: boolean
}

/** How many tokens of another vocabulary one of the counted may be worth (see `modelEncoding`), and some room. */
const otherVocabulary = 1.5

/**
 * Tokens that a counted prompt will hardly exceed: closer to the truth than `promptTokensUpperBound`, but with another
 * vocabulary than the model's own no bound in the strict sense.
 */
export function countedPromptBound({ tokens, shape, imageTokensMax, exact }: CountedPrompt): number {
  if (shape.unbounded) return Number.MAX_SAFE_INTEGER
  const text = exact ? tokens : Math.ceil(tokens * otherVocabulary)
  return text + (shape.soundLength ?? 0) + (shape.repeatedBytes ?? 0) + allowances(shape, imageTokensMax)
}
