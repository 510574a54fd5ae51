import type { Body } from '../dialect.ts'
import type { JsonEdits } from '../json/edit-json.ts'
import { documentText, type RerankBody } from './document-text.ts'

/**
 * What is changed in a rerank request on its way to any provider. All of them take documents that are strings, so
 * objects become texts; `return_documents` and `rank_fields` are the gateway's own work then, and an explicit null is
 * left out.
 *
 * @param body of a request that `checkRerankRequest` let through
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
