/**
 * Relevance 0..1 of a document to a query: the share of the query's words that the document has. Among equals the
 * document with fewer other words is first.
 */
export function scoreOverlap(query: string, document: string): number {
  const requested = wordsOf(query)
  const offered = wordsOf(document)
  if (requested.size === 0 || offered.size === 0) return 0
  const shared = [...requested].filter((word) => offered.has(word)).length
  const similarity = shared / (requested.size + offered.size - shared)
  return Math.round((0.9 * (shared / requested.size) + 0.1 * similarity) * 1e6) / 1e6
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}
