import { documentText, type RerankBody } from './document-text.ts'

/** With Cohere one search is a query with up to this many documents. */
const documentsPerSearch = 100
/** With Cohere a document that is longer than this, including the query, counts once for each such part of it. */
const tokensPerPart = 500
/** Tokens of each part that remain for the document, however long the query is. */
const documentTokensMin = 100
/** Bytes of English text per token. */
const usualBytesPerToken = 4

/**
 * Search units of a rerank request. `most` is for a hold, because no tokenizer makes more than one token of a byte.
 * `usual` is for a provider that is priced by them but does not report them, by the length of English text.
 *
 * @see cohere.com/pricing
 */
export function countSearches({ query, documents, rank_fields }: RerankBody, which: 'most' | 'usual'): number {
  const bytesPerToken = which === 'most' ? 1 : usualBytesPerToken
  const tokensOf = (text: string) => Math.ceil(Buffer.byteLength(text) / bytesPerToken)
  const room = Math.max(documentTokensMin, tokensPerPart - tokensOf(query))
  const parts = documents.reduce((sum, document) => {
    const text = documentText(document, rank_fields) ?? ''
    return sum + Math.max(1, Math.ceil(tokensOf(text) / room))
  }, 0)
  return Math.ceil(parts / documentsPerSearch)
}
