import type { Fields } from '../chat/chat-chunk.ts'
import { readObject } from '../chat/read-reply.ts'
import type { ProviderRequest } from '../provider.ts'

/** The part of `JSON` that TypeScript does not know of: numbers that are written back as they were read. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}
const sourceJson = JSON as unknown as SourceJson

/**
 * `JSON.parse` for what is only going to be written again: ids of more than 53 bits in a tool's arguments stay what
 * they were. Numbers in the result may therefore be opaque objects.
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
 * A JSON object from outside, read as `parseExact` does; null when the bytes are none. One with escapes in its keys,
 * which only `parseScanned` reads rightly, has ordinary numbers.
 */
export function readExactObject(bytes: Buffer): Fields | null {
  const read = readObject(bytes)
  if (read === null) return null
  return read.scan.unsafeKeys.length > 0 ? read.body : (parseExact(bytes.toString()) as Fields)
}

/** A top-level member of a request, read as `readExactObject` does; undefined when there is none. */
export function exactMember({ bytes, scan, body }: Pick<ProviderRequest, 'bytes' | 'scan' | 'body'>, name: string) {
  const span = scan.topLevel.get(name)
  if (span === undefined || scan.unsafeKeys.length > 0) return body[name]
  return parseExact(bytes.toString('utf8', span.start, span.end))
}
