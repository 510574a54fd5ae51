import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import { readCount } from '../json/read-count.ts'
import type { ProviderReply, ProviderRequest } from '../provider.ts'
import { noUsage, type Usage } from '../usage.ts'
import { countSearches } from './count-searches.ts'
import type { RerankBody } from './document-text.ts'

/** The rank of one document in a provider's answer. */
export interface RankedIndex {
  /** Index of the document in the request, at least 0. */
  readonly index: number
  readonly score: number
}

/** Reads a provider's answer to `request`; null when it is not a ranking of documents. */
export function readRerankReply(bytes: Buffer, request: ProviderRequest): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || readRanking(read.body) === null) return null
  return { bytes, scan: read.scan, usage: readRerankUsage(read.body, request), pieces: [] }
}

/** The ranking of an answer, in the provider's order; null when there is none or a part of it cannot be read. */
export function readRanking({ results, data }: Fields): readonly RankedIndex[] | null {
  const list = results ?? data // Voyage has it under `data`
  if (!Array.isArray(list)) return null
  const ranking: RankedIndex[] = []
  for (const item of list) {
    const { index, relevance_score, score } = asObject(item) ?? {}
    const place = readCount(index)
    const relevance = relevance_score ?? score
    if (place === null || typeof relevance !== 'number') return null
    ranking.push({ index: place, score: relevance })
  }
  return ranking
}

/**
 * Reads tokens and search units from any of the members that providers use. Searches that were not reported are counted
 * here, because a model may be priced by them alone. Null when neither is known but tokens are what is paid for.
 */
function readRerankUsage({ usage, meta }: Fields, { model, body }: ProviderRequest): Usage | null {
  const counts = asObject(usage)
  const billed = asObject(asObject(meta)?.billed_units)
  const tokens = asObject(asObject(meta)?.tokens)
  const reported = [counts?.prompt_tokens, counts?.total_tokens, tokens?.input_tokens, billed?.input_tokens]
  const promptTokens = reported.map(readCount).find((count) => count !== null) ?? null
  const searches = readCount(billed?.search_units ?? counts?.search_units)
  const isPricedBySearch = model.perSearchNano > 0n
  if (promptTokens === null && !isPricedBySearch && (searches === null || model.rates.input > 0n)) return null
  const counted = isPricedBySearch ? countSearches(body as unknown as RerankBody, 'usual') : 0
  return { ...noUsage, promptTokens: promptTokens ?? 0, searches: searches ?? counted }
}
