/**
 * Relevance 0..1 of a document to a query: the share of the query's words that the document has, and among
 * equals the document with fewer other words first.
 */
export function scoreOverlap(query: string, document: string): number {
  const wanted = wordsOf(query)
  const offered = wordsOf(document)
  if (wanted.size === 0 || offered.size === 0) return 0
  const shared = [...wanted].filter((word) => offered.has(word)).length
  const similarity = shared / (wanted.size + offered.size - shared)
  return Math.round((0.9 * (shared / wanted.size) + 0.1 * similarity) * 1e6) / 1e6
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}
