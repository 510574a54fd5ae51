import type { CatalogModel, HostedTool, Rates } from '../catalog/catalog.ts'
import { type PriceTerms, usualTerms } from '../wire/hosted-tools.ts'
import type { HostedCalls, Usage } from '../wire/usage.ts'

export interface WorstCase {
  readonly model: CatalogModel
  /** An upper bound of the prompt's tokens. A value beyond the context window counts as the window. */
  readonly promptTokensUpperBound: number
  /** The request's limit per choice; null when it sets none. The model's own maximum applies in either case. */
  readonly maxOutputTokens: number | null
  /** Number of requested choices, 1..128. */
  readonly n: number
  readonly searches?: number
  /** Maximum number of images, characters or seconds of sound. */
  readonly units?: number
  /** True when the request may write caches with a lifetime of an hour. */
  readonly cachesLong?: boolean
  readonly terms?: PriceTerms
}

/** More than any request can have. It keeps the maximum cost within a Postgres `bigint` of nano-dollars. */
const TOKENS_MAX = 1_000_000_000
const CHOICES_MAX = 128
const SEARCHES_MAX = 10_000
/** More than a body can ask for: it has fewer characters. */
const UNITS_MAX = 16_000_000
const THOUSANDTHS = 1_000n
const PER_NANO = 1_000n * THOUSANDTHS
const PER_MICRO = 1_000_000n * THOUSANDTHS
const NANO_PER_MICRO = 1_000n

/**
 * The cost of an exchange in nano-dollars: exact, then rounded up once to a whole micro-dollar.
 *
 * @param usage counts that `soundUsage` returned
 * @param terms those of the request, for which a hold was taken
 * @param firstPromptTokens the prompt of the first round, if it was counted after at least one call: no round reads less,
 *   so it counts as at most half of the usage's prompt tokens
 */
export function costNano(
  model: CatalogModel,
  usage: Usage,
  terms: PriceTerms = usualTerms,
  firstPromptTokens = 0,
): bigint {
  const firstPrompt = Math.min(firstPromptTokens, Math.floor(usage.promptTokens / 2))
  const rates = ratesFor(model, Math.max(meanPromptTokens(usage, terms), firstPrompt))
  const cached = BigInt(usage.cachedPromptTokens)
  const writtenLong = BigInt(usage.cacheWriteLongTokens ?? 0)
  const written = BigInt(usage.cacheWriteTokens) - writtenLong
  const pico =
    (BigInt(usage.promptTokens) - cached - written - writtenLong) * rates.input +
    cached * rates.cachedInput +
    written * rates.cacheWrite +
    writtenLong * (rates.cacheWriteLong ?? rates.cacheWrite) +
    BigInt(usage.completionTokens) * rates.output
  const { searches, units = 0 } = usage
  const calls = hostedNano(usage, terms) + model.perSearchNano * BigInt(searches) + model.perUnitNano * BigInt(units)
  return toCharge(model, pico * servedFactor(model, terms, usage), calls)
}

/** The cost of the calls of hosted tools alone, in nano-dollars: whole micro-dollars. */
export function hostedCallsNano(calls: HostedCalls, terms: PriceTerms): bigint {
  return toMicro(hostedNano(calls, terms) * PER_NANO)
}

function hostedNano({ webSearches = 0, containers = 0 }: Partial<HostedCalls>, terms: PriceTerms): bigint {
  return BigInt(webSearches) * perCallNano(terms, 'search') + BigInt(containers) * perCallNano(terms, 'container')
}

/** True when the price depends on how long the prompts of the rounds were, of which the usage states only the sum. */
export function needsFirstPrompt(model: CatalogModel, usage: Usage, terms: PriceTerms): boolean {
  return ratesFor(model, meanPromptTokens(usage, terms)) !== ratesFor(model, usage.promptTokens)
}

/**
 * The mean prompt of the rounds of a request. Providers price each prompt by its own length, and a model reads one after
 * each call of a hosted tool, but the usage states their sum. The longest of them has at least the mean.
 */
function meanPromptTokens({ promptTokens, webSearches = 0, containers = 0 }: Usage, { maxCalls }: PriceTerms): number {
  return Math.ceil(promptTokens / (1 + Math.min(webSearches + containers, atMost(maxCalls, SEARCHES_MAX))))
}

/**
 * The maximum cost of an exchange in nano-dollars: the longest prompt at its most expensive price, and every choice at
 * its maximum length. A value that is not a usable number counts as the maximum, so a hostile request holds too much,
 * never too little.
 */
export function holdNano(worst: WorstCase): bigint {
  const { model, maxOutputTokens, n, searches = 0, units = 0, cachesLong = false, terms = usualTerms } = worst
  const outputTokens = atMost(maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens)
  const promptTokens = maxPromptTokens(worst, outputTokens)
  const rates = ratesFor(model, longestPromptTokens(worst, outputTokens))
  const choices = BigInt(Math.max(1, atMost(n, CHOICES_MAX)))
  const pico =
    BigInt(promptTokens) * highestInputRate(rates, cachesLong) + BigInt(outputTokens) * choices * rates.output
  const factors = [THOUSANDTHS, tierFactor(model, terms.tier)]
  const hosted = BigInt(atMost(terms.maxCalls, SEARCHES_MAX)) * highestCallNano(terms)
  const unitsNano = model.perUnitNano * BigInt(atMost(units, UNITS_MAX))
  const calls = hosted + model.perSearchNano * BigInt(atMost(searches, SEARCHES_MAX)) + unitsNano
  return toCharge(model, pico * factors.reduce(larger), calls)
}

/**
 * The most prompt tokens of all rounds of a request. After each call of a hosted tool the model reads the prompt again, with
 * the results so far and what it wrote.
 */
function maxPromptTokens(
  { model, promptTokensUpperBound, terms = usualTerms }: WorstCase,
  outputTokens: number,
): number {
  const window = windowOf(model)
  const first = atMost(promptTokensUpperBound, window)
  const added = maxAddedTokens(terms)
  let sum = first
  for (let calls = 1; calls <= atMost(terms.maxCalls, SEARCHES_MAX); calls += 1) {
    sum += Math.min(window, first + outputTokens + calls * added)
  }
  return Math.min(sum, TOKENS_MAX)
}

/** The most prompt tokens of one round. */
function longestPromptTokens(
  { model, promptTokensUpperBound, terms = usualTerms }: WorstCase,
  outputTokens: number,
): number {
  const window = windowOf(model)
  const first = atMost(promptTokensUpperBound, window)
  const calls = atMost(terms.maxCalls, SEARCHES_MAX)
  return calls === 0 ? first : Math.min(window, first + outputTokens + calls * maxAddedTokens(terms))
}

function windowOf({ kind, contextWindow }: CatalogModel): number {
  return kind === 'chat' ? contextWindow : TOKENS_MAX
}

function maxAddedTokens({ hosted }: PriceTerms): number {
  return Math.max(0, ...hosted.map(({ maxResultTokens }) => maxResultTokens))
}

function highestCallNano({ hosted }: PriceTerms): bigint {
  return hosted.map((tool) => tool.perCallNano).reduce(larger, 0n)
}

/** The price of a call when the request offers several tools of a kind, which the usage does not distinguish. */
function perCallNano({ hosted }: PriceTerms, kind: HostedTool['kind']): bigint {
  return highestCallNano({ ...usualTerms, hosted: hosted.filter((tool) => tool.kind === kind) })
}

/** A provider that is short of the requested tier may answer in the usual one, and says so. */
function servedFactor(model: CatalogModel, { tier }: PriceTerms, { serviceTier }: Usage): bigint {
  // A fast answer of Anthropic always says so.
  const isServed = serviceTier === tier || (serviceTier === undefined && tier !== 'fast')
  return tierFactor(model, isServed ? tier : null)
}

function tierFactor({ serviceTiers }: CatalogModel, tier: string | null): bigint {
  return (tier === null ? undefined : serviceTiers.get(tier)) ?? THOUSANDTHS
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}

/** The most tokens that an answer to a request can have used. */
export interface UsageLimits {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Tokens of an answer beyond its limit that some providers count, such as the one that ends it. */
const endTokens = 16

/** The limits of a chat follow from its model and request. Embeddings and rerank may have many texts of one window each. */
export function usageLimits(request: Omit<WorstCase, 'promptTokensUpperBound'>): UsageLimits {
  const { model, maxOutputTokens, n, terms = usualTerms } = request
  if (model.kind !== 'chat') return { promptTokens: TOKENS_MAX, completionTokens: TOKENS_MAX }
  const outputTokens = atMost(maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens)
  const choices = Math.max(1, atMost(n, CHOICES_MAX))
  const rounds = 1 + atMost(terms.maxCalls, SEARCHES_MAX)
  const promptTokens = Math.min(model.contextWindow * rounds, TOKENS_MAX)
  return { promptTokens, completionTokens: (outputTokens + endTokens) * choices }
}

/**
 * Counts that can be charged, or null when a provider's report is impossible and has to be replaced by an estimate:
 * negative, fractional, not a number, or more than the request allows. Parts of the prompt that exceed it are limited to it.
 */
export function soundUsage(usage: Usage, limits: UsageLimits): Usage | null {
  const { promptTokens, completionTokens, units = 0 } = usage
  if (!isCount(promptTokens) || !isCount(completionTokens)) return null
  if (!isCount(units) || units > UNITS_MAX) return null
  if (promptTokens > limits.promptTokens || completionTokens > limits.completionTokens) return null
  const cachedPromptTokens = partOf(promptTokens, usage.cachedPromptTokens)
  const cacheWriteTokens = partOf(promptTokens - cachedPromptTokens, usage.cacheWriteTokens)
  const searches = callsOf(usage.searches)
  const reasoningTokens = partOf(completionTokens, usage.reasoningTokens)
  const counts = { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens, reasoningTokens, searches }
  const sound = { ...counts, ...soundExtras(usage) }
  const cacheWriteLongTokens = partOf(cacheWriteTokens, usage.cacheWriteLongTokens ?? 0)
  return cacheWriteLongTokens === 0 ? sound : { ...sound, cacheWriteLongTokens }
}

function soundExtras({ webSearches = 0, containers = 0, units = 0, serviceTier }: Usage): Partial<Usage> {
  return {
    ...(webSearches === 0 ? {} : { webSearches: callsOf(webSearches) }),
    ...(containers === 0 ? {} : { containers: callsOf(containers) }),
    ...(units === 0 ? {} : { units }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
  }
}

function callsOf(count: number): number {
  return isCount(count) ? Math.min(count, SEARCHES_MAX) : 0
}

/**
 * @param tokens their cost, in thousandths of a pico-dollar
 * @param callsNano the cost of searches and of tools
 */
function toCharge(model: CatalogModel, tokens: bigint, callsNano: bigint): bigint {
  return toMicro(tokens + (model.perRequestNano + callsNano) * PER_NANO)
}

/** In nano-dollars, rounded up to a whole micro-dollar. */
function toMicro(thousandthsOfPico: bigint): bigint {
  return ((thousandthsOfPico + PER_MICRO - 1n) / PER_MICRO) * NANO_PER_MICRO
}

function ratesFor(model: CatalogModel, promptTokens: number): Rates {
  return model.tiers.findLast(({ abovePromptTokens }) => promptTokens > abovePromptTokens) ?? model.rates
}

/** Cached input never costs more than other input. */
function highestInputRate({ input, cacheWrite, cacheWriteLong }: Rates, cachesLong: boolean): bigint {
  const usual = cacheWrite > input ? cacheWrite : input
  return cachesLong && cacheWriteLong !== null && cacheWriteLong > usual ? cacheWriteLong : usual
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
