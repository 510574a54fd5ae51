import type { Body } from '../../wire/dialect.ts'
import { countSearches } from '../../wire/rerank/count-searches.ts'
import { documentText, type RerankBody } from '../../wire/rerank/document-text.ts'
import { checkFields, type FieldRule, fieldFault, isPositiveInteger, isText, optional } from '../check-fields.ts'
import type { RequestFacts } from '../surface.ts'

/** Maximum number of documents of one request, as with Cohere. */
const documentsMax = 10_000

/**
 * Checks the fields of a rerank request that the gateway reads. The other fields are checked by the provider.
 *
 * @throws ServiceError `invalid_request` naming the field by its path, as in `documents.3.text`
 */
export function checkRerankRequest(body: Body): RequestFacts {
  const { requestedModel, fallbackModels } = checkFields(body, rules)
  const checked = body as unknown as RerankBody
  for (const [index, document] of checked.documents.entries()) checkDocument(document, index, checked)
  return {
    requestedModel,
    fallbackModels,
    stream: false,
    includeUsage: false,
    n: 1,
    maxTokens: 0,
    searches: countSearches(checked, 'most'),
    prompt: {
      items: checked.documents.length,
      tools: 0,
      mediaParts: 0,
      mediaLength: 0,
      repeatedBytes: Buffer.byteLength(checked.query) * (checked.documents.length - 1),
      unbounded: false,
    },
  }
}

/** Each is looked for in each document, and what it names becomes a part of the text, so it may be named once. */
const maxRankFields = 64

function isFieldList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxRankFields) return false
  return value.every(isText) && new Set(value).size === value.length
}

const rules: readonly FieldRule[] = [
  { param: 'query', accepts: isText, demand: 'must be a non-empty string' },
  {
    param: 'documents',
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.length <= documentsMax,
    demand: `must be an array of 1 to ${documentsMax} documents`,
  },
  { param: 'top_n', accepts: optional(isPositiveInteger), demand: 'must be a positive integer' },
  {
    param: 'return_documents',
    accepts: optional((value) => typeof value === 'boolean'),
    demand: 'must be a boolean',
  },
  { param: 'max_tokens_per_doc', accepts: optional(isPositiveInteger), demand: 'must be a positive integer' },
  {
    param: 'rank_fields',
    accepts: optional(isFieldList),
    demand: `must be an array of 1 to ${maxRankFields} different non-empty strings`,
  },
]

function checkDocument(document: unknown, index: number, { rank_fields }: RerankBody): void {
  const path = `documents.${index}`
  if (typeof document !== 'string' && (typeof document !== 'object' || document === null || Array.isArray(document))) {
    throw fieldFault({ param: path, demand: 'must be a string or an object' }, null)
  }
  if (documentText(document as RerankBody['documents'][number], rank_fields) !== null) return
  if (rank_fields === undefined || rank_fields === null) {
    const text = (document as { text?: unknown }).text
    throw fieldFault({ param: `${path}.text`, demand: 'must be a string' }, text)
  }
  throw fieldFault({ param: path, demand: 'must have at least one of the rank_fields' }, null)
}
