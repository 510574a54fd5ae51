/** The fields of a rerank request that passed the rules. */
export interface RerankBody {
  readonly query: string
  readonly documents: readonly RerankDocument[]
  readonly top_n?: number | null
  readonly return_documents?: boolean | null
  readonly rank_fields?: readonly string[] | null
}

/** A text, or an object of which `rank_fields` are ranked. */
export type RerankDocument = string | Readonly<Record<string, unknown>>

/**
 * The text of a document that a model ranks: its `text`, or its `rank_fields` as YAML in their order, which is the form
 * that Cohere recommends for structured documents. A plain text counts as an object with only `text`. Null when the
 * document has nothing to rank.
 *
 * @example documentText({ title: 'Tea', text: 'Hot' }, ['title', 'text']) // 'title: Tea\ntext: Hot'
 */
export function documentText(
  document: RerankDocument,
  rankFields: readonly string[] | null | undefined,
): string | null {
  const fields = rankFields ?? ['text']
  const object = typeof document === 'string' ? { text: document } : document
  const [only] = fields
  if (fields.length === 1 && only === 'text') return typeof object.text === 'string' ? object.text : null
  const lines = fields.flatMap((field) => {
    const value = Object.hasOwn(object, field) ? (object as Readonly<Record<string, unknown>>)[field] : undefined
    return value === undefined || value === null ? [] : [`${yamlKey(field)}:${yamlValue(value)}`]
  })
  return lines.length === 0 ? null : lines.join('\n')
}

function yamlKey(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key)
}

/** JSON is valid YAML, so only texts get a plainer form, which is easier to read for a model. */
function yamlValue(value: unknown): string {
  if (typeof value !== 'string') return ` ${JSON.stringify(value)}`
  if (isPlain(value)) return ` ${value}`
  if (canBeBlock(value)) return ` |-\n  ${value.replaceAll('\n', '\n  ')}`
  return ` ${JSON.stringify(value)}`
}

/** One line that YAML reads as the same text: it cannot be an indicator, a comment, a number or a boolean. */
function isPlain(text: string): boolean {
  if (!/^[\p{L}](?:[\p{L}\p{N}\p{M} _.,;()/'"!?%+&$€£@*=<>-]|:(?=[^ ])|#(?=[^ ]))*$/u.test(text)) return false
  return !text.endsWith(' ') && !/ #/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
}

/** Lines that a literal block preserves: no control characters, no space at the start, no line break at the end. */
function canBeBlock(text: string): boolean {
  return text.includes('\n') && !/^\s|\n$|[^\P{C}\n]|[\u2028\u2029\u0085]/u.test(text)
}
