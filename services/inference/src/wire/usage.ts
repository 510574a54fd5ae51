/** Tokens of one exchange, as billed: whole numbers, 0 or more. */
export interface Usage {
  /** All of the prompt, whatever of it was cached. */
  readonly promptTokens: number
  /** Those of `promptTokens` that the provider took from its cache. */
  readonly cachedPromptTokens: number
  /** Those of `promptTokens` that the provider newly wrote to its cache. */
  readonly cacheWriteTokens: number
  /** All that was generated, hidden reasoning included. */
  readonly completionTokens: number
  /** Those of `completionTokens` that the caller does not see. */
  readonly reasoningTokens: number
  /** Search units of a reranker that is priced by them. */
  readonly searches: number
}

/** Nothing used: what a provider's counts are laid over. */
export const noUsage: Usage = {
  promptTokens: 0,
  cachedPromptTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  searches: 0,
}
