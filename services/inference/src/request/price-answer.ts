import type { CatalogModel } from '../catalog/catalog.ts'
import { estimatePrompt, estimateUsage, perMediaPart } from '../pricing/estimate-usage.ts'
import { type GeneratedText, generatedText, withUnkept } from '../pricing/generated-text.ts'
import { costNano, hostedCallsNano, needsFirstPrompt, soundUsage, usageLimits } from '../pricing/price.ts'
import type { RequestFacts } from '../surfaces/surface.ts'
import { collectTexts, countTokenIds } from '../tokenizer/collect-texts.ts'
import { perToken } from '../wire/estimated-tokens.ts'
import { priceTerms } from '../wire/hosted-tools.ts'
import type { ProviderRequest, SpentAnswer } from '../wire/provider.ts'
import { type HostedCalls, noHostedCalls, noUsage, type Usage } from '../wire/usage.ts'

/** The part of an answer that has arrived. */
export interface SeenAnswer {
  readonly request: ProviderRequest
  readonly facts: RequestFacts
  /** The usage that the provider reported last; null when it reported none. */
  readonly usage: Usage | null
  /** True when `usage` is that of the complete answer; false when the answer may have grown since. */
  readonly isUsageFinal: boolean
  readonly generated: GeneratedText
  /** Calls of the provider's own tools that ended without an error in a stream so far. */
  readonly hostedCalls?: HostedCalls
  /** Calls whose end the client did not wait for. They cost as if they had succeeded, without a reading of their results. */
  readonly openCalls?: HostedCalls
  /** Tokens of reasoning that is not in the text, estimated from its bytes; may be a fraction. */
  readonly hiddenTokens: number
  /** True when the prompt is paid even if nothing was generated: the client left a call that the provider accepted. */
  readonly owesPrompt: boolean
}

export interface PricedAnswer {
  readonly usage: Usage
  /** True when `usage` is the provider's; false when it was counted or estimated here. */
  readonly isReported: boolean
  readonly costNano: bigint
}

/** What is owed for an answer that cannot be used: the reported usage, or else the prompt and what is known of the rest. */
export function seenSpent(
  { request, facts }: Pick<SeenAnswer, 'request' | 'facts'>,
  { usage, hiddenTokens }: SpentAnswer,
): SeenAnswer {
  const generated = generatedText([])
  return { request, facts, usage, isUsageFinal: usage !== null, generated, hiddenTokens, owesPrompt: true }
}

/** Counts the tokens of texts with the tokenizer of the model or a similar one; null when that took too long. */
export type CountTokens = (model: CatalogModel, texts: readonly string[]) => Promise<number | null>

/** Counts for a workspace, which has a share of the counting. */
export type CountTokensOf = (workspaceId: string) => CountTokens

/**
 * Prices an answer by the usage that the provider reported for all of it, if that is plausible, else by counting the
 * texts. A usage that was reported before the end is a lower bound of what is counted.
 */
export async function priceAnswer(countTokens: CountTokens, seen: SeenAnswer): Promise<PricedAnswer> {
  const { model } = seen.request
  const reported = reportedUsage(seen)
  const usage =
    reported !== null && seen.isUsageFinal
      ? reported
      : withCalls(atLeast(reported, await countUsage(countTokens, seen)), seen)
  const terms = priceTerms(seen.request)
  const firstPrompt = needsFirstPrompt(model, usage, terms) ? await countPrompt(countTokens, seen) : null
  return { usage, isReported: usage === reported, costNano: costNano(model, usage, terms, firstPrompt ?? 0) }
}

/**
 * What a stream owes that its provider broke off: nothing but the calls of tools that it had run and reported, in
 * nano-dollars. The provider is paid for each of them, whatever becomes of the answer.
 */
export function brokenStreamNano(seen: SeenAnswer): bigint {
  const { hostedCalls = noHostedCalls, usage, request } = seen
  const terms = priceTerms(request)
  const callsOf = (kind: keyof HostedCalls) => Math.min(Math.max(hostedCalls[kind], usage?.[kind] ?? 0), terms.maxCalls)
  return hostedCallsNano({ webSearches: callsOf('webSearches'), containers: callsOf('containers') }, terms)
}

/** Estimates the cost of a running answer from lengths alone, for checkpoints. */
export function guessCostNano(seen: SeenAnswer): bigint {
  const reported = reportedUsage(seen)
  const usage = reported !== null && seen.isUsageFinal ? reported : withCalls(atLeast(reported, guessUsage(seen)), seen)
  return costNano(seen.request.model, usage, priceTerms(seen.request))
}

/** The larger of both. The provider's count of the prompt is better, unless it has not counted it yet. */
function atLeast(reported: Usage | null, counted: Usage): Usage {
  if (reported === null) return counted
  const prompt = reported.promptTokens > 0 ? reported : { ...reported, promptTokens: counted.promptTokens }
  return prompt.completionTokens >= counted.completionTokens
    ? prompt
    : { ...prompt, completionTokens: counted.completionTokens }
}

/**
 * The usage with the calls of tools that were shown before a final usage. After each call the model reads the prompt again,
 * with results of which the catalog states the most tokens.
 */
function withCalls(
  usage: Usage,
  { hostedCalls = noHostedCalls, openCalls = noHostedCalls, request }: SeenAnswer,
): Usage {
  const calls = hostedCalls.webSearches + hostedCalls.containers
  const all = {
    webSearches: hostedCalls.webSearches + openCalls.webSearches,
    containers: hostedCalls.containers + openCalls.containers,
  }
  if (all.webSearches + all.containers === 0 || usage.promptTokens === 0) return usage
  const { hosted, maxCalls } = priceTerms(request)
  const results = Math.max(0, ...hosted.map(({ maxResultTokens }) => maxResultTokens))
  const readings = Math.min(calls, maxCalls) * Math.min(request.model.contextWindow, usage.promptTokens + results)
  return { ...usage, ...all, promptTokens: usage.promptTokens + readings }
}

/** The provider's report; null when there is none, or when this request cannot have used so much. */
function reportedUsage({ usage, request, facts }: SeenAnswer): Usage | null {
  if (usage === null) return null
  const { model } = request
  return soundUsage(
    usage,
    usageLimits({ model, maxOutputTokens: facts.maxTokens, n: facts.n, terms: priceTerms(request) }),
  )
}

async function countUsage(countTokens: CountTokens, seen: SeenAnswer): Promise<Usage> {
  const { request, generated, hiddenTokens } = seen
  const guess = guessUsage(seen)
  if (guess.promptTokens === 0) return guess
  const [visibleTokens, promptTokens] = await Promise.all([
    // Counted as one text: a stream may be cut inside a token, and it must cost as much as the unstreamed answer.
    generated.characters === 0 ? 0 : countTokens(request.model, [generated.texts.join('')]),
    countPrompt(countTokens, seen),
  ])
  return {
    ...guess,
    completionTokens:
      visibleTokens === null || request.model.kind === 'image'
        ? guess.completionTokens
        : withUnkept(visibleTokens, generated) + Math.ceil(hiddenTokens),
    promptTokens: promptTokens ?? guess.promptTokens,
  }
}

/** The tokens of the request's own prompt; null when counting took too long. */
async function countPrompt(countTokens: CountTokens, { request, facts }: SeenAnswer): Promise<number | null> {
  const textTokens = await countTokens(request.model, collectTexts(request.body))
  if (textTokens === null) return null
  const { mediaParts, soundParts = 0, repeatedBytes = 0 } = facts.prompt
  const otherTokens = countTokenIds(request.body) + (mediaParts + soundParts) * perMediaPart
  return textTokens + otherTokens + Math.ceil(repeatedBytes / perToken)
}

/** What images have at most. Their bytes do not indicate it. */
function imageTokens({ model }: ProviderRequest, { n }: RequestFacts): number {
  return model.kind === 'image' ? model.maxOutputTokens * n : 0
}

/**
 * A chat without generated text is free, unless its prompt is owed. Embeddings and rerank never generate text; they are
 * charged by their prompt.
 */
function guessUsage({ request, facts, generated, hiddenTokens, owesPrompt }: SeenAnswer): Usage {
  const bodyBytes = request.bytes.length
  if (request.model.kind !== 'chat') {
    const units = request.model.perUnitNano === 0n ? {} : { units: facts.units?.usual ?? 0 }
    const promptTokens = estimatePrompt(bodyBytes, facts.prompt)
    return {
      ...noUsage,
      promptTokens,
      completionTokens: imageTokens(request, facts),
      searches: facts.searches,
      ...units,
    }
  }
  const { pieces, characters } = generated
  const { prompt } = facts
  return estimateUsage({ bodyBytes, prompt, pieces, characters, hiddenTokens, streamed: request.stream, owesPrompt })
}
