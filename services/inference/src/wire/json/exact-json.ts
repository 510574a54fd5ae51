import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { mayLoseDigits, parseExact } from '@ratchet/service-kit/values/exact-json'
import type { Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../chat/read-reply.ts'
import type { Body } from '../dialect.ts'
import type { ProviderRequest } from '../provider.ts'

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

/**
 * The edits of a request's body, with all numbers in them as the client wrote them. `edit` is called a second time when it
 * writes a member again that may have such numbers, so it must only compare texts and pass numbers on.
 */
export function exactEdits(
  request: Pick<ProviderRequest, 'bytes' | 'scan' | 'body'>,
  edit: (body: Body) => JsonEdits,
): JsonEdits {
  const edits = edit(request.body)
  const names = Object.keys(edits).filter((name) => edits[name] !== undefined && isFragile(request, name))
  if (names.length === 0) return edits
  return edit({ ...request.body, ...Object.fromEntries(names.map((name) => [name, exactMember(request, name)])) })
}

function isFragile({ bytes, scan }: Pick<ProviderRequest, 'bytes' | 'scan'>, name: string): boolean {
  const span = scan.topLevel.get(name)
  return span !== undefined && mayLoseDigits(bytes.toString('latin1', span.start, span.end))
}
