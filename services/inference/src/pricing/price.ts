import type { CatalogModel, Rates } from '../catalog/catalog.ts'
import type { Usage } from '../wire/usage.ts'

export interface WorstCase {
  readonly model: CatalogModel
  /** An upper bound of the prompt's tokens. A value beyond the context window counts as the window. */
  readonly promptTokensUpperBound: number
  /** The request's limit per choice; null when it sets none. The model's own maximum applies in either case. */
  readonly maxOutputTokens: number | null
  /** Number of requested choices, 1..128. */
  readonly n: number
  readonly searches?: number
}

/** More than any request can have. It keeps the maximum cost within a Postgres `bigint` of nano-dollars. */
const TOKENS_MAX = 1_000_000_000
const CHOICES_MAX = 128
const SEARCHES_MAX = 10_000
const PICO_PER_NANO = 1_000n
const PICO_PER_MICRO = 1_000_000n
const NANO_PER_MICRO = 1_000n

/**
 * The cost of an exchange in nano-dollars: exact, then rounded up once to a whole micro-dollar.
 *
 * @param usage counts that `soundUsage` returned
 */
export function costNano(model: CatalogModel, usage: Usage): bigint {
  const rates = ratesFor(model, usage.promptTokens)
  const cached = BigInt(usage.cachedPromptTokens)
  const written = BigInt(usage.cacheWriteTokens)
  const pico =
    (BigInt(usage.promptTokens) - cached - written) * rates.input +
    cached * rates.cachedInput +
    written * rates.cacheWrite +
    BigInt(usage.completionTokens) * rates.output
  return toCharge(model, pico, BigInt(usage.searches))
}

/**
 * The maximum cost of an exchange in nano-dollars: the longest prompt at its most expensive price, and every choice at
 * its maximum length. A value that is not a usable number counts as the maximum, so a hostile request holds too much,
 * never too little.
 */
export function holdNano({ model, promptTokensUpperBound, maxOutputTokens, n, searches = 0 }: WorstCase): bigint {
  const promptTokens = atMost(promptTokensUpperBound, model.kind === 'chat' ? model.contextWindow : TOKENS_MAX)
  const outputTokens = atMost(maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens)
  const rates = ratesFor(model, promptTokens)
  const choices = BigInt(Math.max(1, atMost(n, CHOICES_MAX)))
  const pico = BigInt(promptTokens) * highestInputRate(rates) + BigInt(outputTokens) * choices * rates.output
  return toCharge(model, pico, BigInt(atMost(searches, SEARCHES_MAX)))
}

/** The most tokens that an answer to a request can have used. */
export interface UsageLimits {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Tokens of an answer beyond its limit that some providers count, such as the one that ends it. */
const endTokens = 16

/** The limits of a chat follow from its model and request. Embeddings and rerank may have many texts of one window each. */
export function usageLimits({ model, maxOutputTokens, n }: Omit<WorstCase, 'promptTokensUpperBound'>): UsageLimits {
  if (model.kind !== 'chat') return { promptTokens: TOKENS_MAX, completionTokens: TOKENS_MAX }
  const outputTokens = atMost(maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens)
  const choices = Math.max(1, atMost(n, CHOICES_MAX))
  return { promptTokens: model.contextWindow, completionTokens: (outputTokens + endTokens) * choices }
}

/**
 * Counts that can be charged, or null when a provider's report is impossible and has to be replaced by an estimate:
 * negative, fractional, not a number, or more than the request allows. Parts of the prompt that exceed it are limited to it.
 */
export function soundUsage(usage: Usage, limits: UsageLimits): Usage | null {
  const { promptTokens, completionTokens } = usage
  if (!isCount(promptTokens) || !isCount(completionTokens)) return null
  if (promptTokens > limits.promptTokens || completionTokens > limits.completionTokens) return null
  const cachedPromptTokens = partOf(promptTokens, usage.cachedPromptTokens)
  const cacheWriteTokens = partOf(promptTokens - cachedPromptTokens, usage.cacheWriteTokens)
  const searches = isCount(usage.searches) ? Math.min(usage.searches, SEARCHES_MAX) : 0
  const reasoningTokens = partOf(completionTokens, usage.reasoningTokens)
  return { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens, searches }
}

function toCharge(model: CatalogModel, tokensPico: bigint, searches: bigint): bigint {
  const pico = tokensPico + (model.perRequestNano + model.perSearchNano * searches) * PICO_PER_NANO
  return ((pico + PICO_PER_MICRO - 1n) / PICO_PER_MICRO) * NANO_PER_MICRO
}

function ratesFor(model: CatalogModel, promptTokens: number): Rates {
  return model.tiers.findLast(({ abovePromptTokens }) => promptTokens > abovePromptTokens) ?? model.rates
}

/** Cached input never costs more than other input. */
function highestInputRate({ input, cacheWrite }: Rates): bigint {
  if (cacheWrite > input) return cacheWrite
  return input
}

/** `value` as a whole number in 0..limit; the limit for anything that is not at least 0. */
function atMost(value: number, limit: number): number {
  return value >= 0 && value < limit ? Math.ceil(value) : limit
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
}

function partOf(whole: number, part: number): number {
  return isCount(part) ? Math.min(part, whole) : 0
}
