import type { CatalogModel } from '../catalog/catalog.ts'
import { estimatePrompt, estimateUsage, perMediaPart, perToken } from '../pricing/estimate-usage.ts'
import { costNano, soundUsage } from '../pricing/price.ts'
import type { RequestFacts } from '../surfaces/surface.ts'
import { collectTexts, countTokenIds } from '../tokenizer/collect-texts.ts'
import type { ProviderRequest } from '../wire/provider.ts'
import { noUsage, type Usage } from '../wire/usage.ts'

/** What was seen of an answer. */
export interface SeenAnswer {
  readonly request: ProviderRequest
  readonly facts: RequestFacts
  /** What the provider said it used; null when it did not. */
  readonly usage: Usage | null
  /** Text that the model generated. */
  readonly pieces: readonly string[]
}

export interface PricedAnswer {
  readonly usage: Usage
  /** Whether the provider said so. */
  readonly reported: boolean
  readonly costNano: bigint
}

/** Counts the tokens of texts with the model's tokenizer, or one near to it; null when that took too long. */
export type CountTokens = (model: CatalogModel, texts: readonly string[]) => Promise<number | null>

/**
 * What an answer costs: by the provider's own count where it can be true, else by counting its text and the prompt's.
 */
export async function priceAnswer(countTokens: CountTokens, seen: SeenAnswer): Promise<PricedAnswer> {
  const { model } = seen.request
  const sound = seen.usage === null ? null : soundUsage(seen.usage)
  if (sound !== null) return { usage: sound, reported: true, costNano: costNano(model, sound) }
  const usage = await countUsage(countTokens, seen)
  return { usage, reported: false, costNano: costNano(model, usage) }
}

/** A guess from lengths alone, for notes of what a running answer costs so far. */
export function guessCostNano(seen: SeenAnswer): bigint {
  const sound = seen.usage === null ? null : soundUsage(seen.usage)
  return costNano(seen.request.model, sound ?? guessUsage(seen))
}

async function countUsage(countTokens: CountTokens, seen: SeenAnswer): Promise<Usage> {
  const { request, facts, pieces } = seen
  const guess = guessUsage(seen)
  if (guess.promptTokens === 0) return guess
  const [completionTokens, textTokens] = await Promise.all([
    // Joined, for where a provider cut its stream says nothing of the tokens: streamed or not, an answer costs the same.
    pieces.length === 0 ? 0 : countTokens(request.model, [pieces.join('')]),
    countTokens(request.model, collectTexts(request.body)),
  ])
  const { mediaParts, soundParts = 0, repeatedBytes = 0 } = facts.prompt
  const beside =
    countTokenIds(request.body) + (mediaParts + soundParts) * perMediaPart + Math.ceil(repeatedBytes / perToken)
  return {
    ...guess,
    completionTokens: completionTokens ?? guess.completionTokens,
    promptTokens: textTokens === null ? guess.promptTokens : textTokens + beside,
  }
}

/** A chat of which nothing was generated used nothing; what generates nothing by its nature used its prompt. */
function guessUsage({ request, facts, pieces }: SeenAnswer): Usage {
  const bodyBytes = request.bytes.length
  if (request.model.kind !== 'chat') {
    return { ...noUsage, promptTokens: estimatePrompt(bodyBytes, facts.prompt), searches: facts.searches }
  }
  const characters = pieces.reduce((sum, { length }) => sum + length, 0)
  return estimateUsage({
    bodyBytes,
    prompt: facts.prompt,
    pieces: pieces.length,
    characters,
    streamed: request.stream,
  })
}
