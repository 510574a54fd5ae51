import type { CatalogModel } from '../catalog/catalog.ts'
import { estimatePrompt, estimateUsage, perMediaPart, perToken } from '../pricing/estimate-usage.ts'
import { costNano, soundUsage, usageLimits } from '../pricing/price.ts'
import type { RequestFacts } from '../surfaces/surface.ts'
import { collectTexts, countTokenIds } from '../tokenizer/collect-texts.ts'
import type { ProviderRequest } from '../wire/provider.ts'
import { noUsage, type Usage } from '../wire/usage.ts'

/** The part of an answer that has arrived. */
export interface SeenAnswer {
  readonly request: ProviderRequest
  readonly facts: RequestFacts
  /** The usage that the provider reported; null when it reported none. */
  readonly usage: Usage | null
  /** Text that the model generated, in the order of the stream. */
  readonly pieces: readonly string[]
}

export interface PricedAnswer {
  readonly usage: Usage
  /** True when `usage` is the provider's; false when it was counted or estimated here. */
  readonly isReported: boolean
  readonly costNano: bigint
}

/** Counts the tokens of texts with the tokenizer of the model or a similar one; null when that took too long. */
export type CountTokens = (model: CatalogModel, texts: readonly string[]) => Promise<number | null>

/** Prices an answer by the usage that the provider reported if that is plausible, else by counting the texts. */
export async function priceAnswer(countTokens: CountTokens, seen: SeenAnswer): Promise<PricedAnswer> {
  const { model } = seen.request
  const sound = reportedUsage(seen)
  if (sound !== null) return { usage: sound, isReported: true, costNano: costNano(model, sound) }
  const usage = await countUsage(countTokens, seen)
  return { usage, isReported: false, costNano: costNano(model, usage) }
}

/** Estimates the cost of a running answer from lengths alone, for checkpoints. */
export function guessCostNano(seen: SeenAnswer): bigint {
  return costNano(seen.request.model, reportedUsage(seen) ?? guessUsage(seen))
}

/** The provider's report; null when there is none, or when this request cannot have used so much. */
function reportedUsage({ usage, request, facts }: SeenAnswer): Usage | null {
  if (usage === null) return null
  return soundUsage(usage, usageLimits({ model: request.model, maxOutputTokens: facts.maxTokens, n: facts.n }))
}

async function countUsage(countTokens: CountTokens, seen: SeenAnswer): Promise<Usage> {
  const { request, facts, pieces } = seen
  const guess = guessUsage(seen)
  if (guess.promptTokens === 0) return guess
  const [completionTokens, textTokens] = await Promise.all([
    // Counted as one text: a stream may be cut inside a token, and it must cost as much as the unstreamed answer.
    pieces.length === 0 ? 0 : countTokens(request.model, [pieces.join('')]),
    countTokens(request.model, collectTexts(request.body)),
  ])
  const { mediaParts, soundParts = 0, repeatedBytes = 0 } = facts.prompt
  const otherTokens =
    countTokenIds(request.body) + (mediaParts + soundParts) * perMediaPart + Math.ceil(repeatedBytes / perToken)
  return {
    ...guess,
    completionTokens: completionTokens ?? guess.completionTokens,
    promptTokens: textTokens === null ? guess.promptTokens : textTokens + otherTokens,
  }
}

/** A chat without generated text is free. Embeddings and rerank never generate text; they are charged by their prompt. */
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
