/** Tokens of one exchange, as billed: whole numbers, 0 or more. */
export interface Usage {
  readonly promptTokens: number
  /** Those of `promptTokens` that the provider took from its cache. */
  readonly cachedPromptTokens: number
  readonly completionTokens: number
  /** Those of `completionTokens` that the caller does not see. */
  readonly reasoningTokens: number
}
