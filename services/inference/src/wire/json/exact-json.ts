import type { Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import type { ProviderRequest } from '../provider.ts'

/** The part of `JSON` that TypeScript's library does not declare: it writes numbers back as they were read. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}
const sourceJson = JSON as unknown as SourceJson

/**
 * `JSON.parse` for values that are only written again: ids of more than 53 bits in a tool's arguments stay exact. For
 * this, numbers in the result may be opaque objects.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseExact(text: string): unknown {
  return sourceJson.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value
    return sourceJson.rawJSON(source)
  })
}

/**
 * A JSON object from outside, read as `parseExact` does; null when the bytes are not one. An object with escapes in its
 * keys, which only `parseScanned` reads correctly, has ordinary numbers.
 */
export function readExactObject(bytes: Buffer): Fields | null {
  const read = readObject(bytes)
  if (read === null) return null
  return read.scan.unsafeKeys.length > 0 ? read.body : (parseExact(bytes.toString()) as Fields)
}

/** A top-level member of a request, read as `readExactObject` does; undefined when it is absent. */
export function exactMember({ bytes, scan, body }: Pick<ProviderRequest, 'bytes' | 'scan' | 'body'>, name: string) {
  const span = scan.topLevel.get(name)
  if (span === undefined || scan.unsafeKeys.length > 0) return body[name]
  return parseExact(bytes.toString('utf8', span.start, span.end))
}
