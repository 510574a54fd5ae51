import type { Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import type { Body } from '../dialect.ts'
import type { ProviderRequest } from '../provider.ts'
import type { JsonEdits } from './edit-json.ts'

/** The part of `JSON` that TypeScript's library does not declare: it writes numbers back as they were read. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
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

/** True for an opaque number of `parseExact`, which must be passed on as it is. */
export function isExactNumber(value: unknown): boolean {
  return sourceJson.isRawJSON(value)
}

/**
 * The edits of a request's body, with all numbers in them as the client wrote them. `edit` is called a second time when it
 * writes a member again that may have such numbers, so it must only compare texts and pass numbers on.
 */
export function exactEdits(
  request: Pick<ProviderRequest, 'bytes' | 'scan' | 'body'>,
  edit: (body: Body) => JsonEdits,
): JsonEdits {
  const edits = edit(request.body)
  const names = Object.keys(edits).filter((name) => edits[name] !== undefined && mayLoseDigits(request, name))
  if (names.length === 0) return edits
  return edit({ ...request.body, ...Object.fromEntries(names.map((name) => [name, exactMember(request, name)])) })
}

/** A number of 16 digits, with a fraction or with an exponent; it may also be part of a text. */
const fragileNumber = /[:,[\s]-?(?:\d{16}|\d+[.eE])/

function mayLoseDigits({ bytes, scan }: Pick<ProviderRequest, 'bytes' | 'scan'>, name: string): boolean {
  const span = scan.topLevel.get(name)
  return span !== undefined && fragileNumber.test(bytes.toString('latin1', span.start, span.end))
}
