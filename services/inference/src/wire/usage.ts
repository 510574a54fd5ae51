/** Tokens of one exchange as they are charged: whole numbers of at least 0. */
export interface Usage {
  /** All tokens of the prompt, including cached ones. */
  readonly promptTokens: number
  /** The part of `promptTokens` that the provider read from its cache. */
  readonly cachedPromptTokens: number
  /** The part of `promptTokens` that the provider wrote to its cache. */
  readonly cacheWriteTokens: number
  /** All generated tokens, including hidden reasoning. */
  readonly completionTokens: number
  /** The part of `completionTokens` that the caller does not see. */
  readonly reasoningTokens: number
  /** Search units, for a reranker that is priced by them. */
  readonly searches: number
}

/** A usage of zeros, to which the counts of a provider are added. */
export const noUsage: Usage = {
  promptTokens: 0,
  cachedPromptTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  searches: 0,
}
