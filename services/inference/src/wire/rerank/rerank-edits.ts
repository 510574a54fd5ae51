import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import type { Body } from '../dialect.ts'
import { documentText, type RerankBody } from './document-text.ts'

/**
 * The edits to a rerank request before it is sent to any provider. All providers accept documents that are strings, so
 * objects become texts, and the gateway then applies `return_documents` and `rank_fields` itself. An explicit null is
 * removed.
 *
 * @param body of a request that `checkRerankRequest` accepted
 */
export function rerankEdits(body: Body): JsonEdits {
  const { documents, rank_fields } = body as unknown as RerankBody
  const edits: Record<string, JsonEdits[string]> = { return_documents: undefined, rank_fields: undefined }
  for (const name of ['top_n', 'max_tokens_per_doc']) if (body[name] === null) edits[name] = undefined
  const isText = documents.every((document) => typeof document === 'string')
  if (isText && (rank_fields ?? null) === null) return edits
  edits.documents = JSON.stringify(documents.map((document) => documentText(document, rank_fields) ?? ''))
  return edits
}
