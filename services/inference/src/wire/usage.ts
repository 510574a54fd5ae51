/** Tokens of one exchange as they are charged: whole numbers of at least 0. */
export interface Usage {
  /** All tokens of the prompt, including cached ones. */
  readonly promptTokens: number
  /** The part of `promptTokens` that the provider read from its cache. */
  readonly cachedPromptTokens: number
  /** The part of `promptTokens` that the provider wrote to its cache. */
  readonly cacheWriteTokens: number
  /** The part of `cacheWriteTokens` in caches with a lifetime of an hour; absent when there are none. */
  readonly cacheWriteLongTokens?: number
  /** All generated tokens, including hidden reasoning. */
  readonly completionTokens: number
  /** The part of `completionTokens` that the caller does not see. */
  readonly reasoningTokens: number
  /** Search units, for a reranker that is priced by them. */
  readonly searches: number
  /** Images, characters or seconds of sound, for a model that is priced by them; absent for none. */
  readonly units?: number
  /** Searches of the web that the provider ran for the model, and containers in which it ran code; absent for none. */
  readonly webSearches?: number
  readonly containers?: number
  /** The service tier that answered; absent when the provider did not say. */
  readonly serviceTier?: string
}

/** The usage with the service tier that the provider named, if it did. */
export function withTier(usage: Usage, tier: unknown): Usage
export function withTier(usage: Usage | null, tier: unknown): Usage | null
export function withTier(usage: Usage | null, tier: unknown): Usage | null {
  return usage === null || typeof tier !== 'string' ? usage : { ...usage, serviceTier: tier.slice(0, 32) }
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

/** Calls of tools that the provider runs. */
export type HostedCalls = Required<Pick<Usage, 'webSearches' | 'containers'>>

export const noHostedCalls: HostedCalls = { webSearches: 0, containers: 0 }
