import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { measureJson } from '@ratchet/service-kit/json/measure-json'
import type { RawContent } from './raw-exchange.ts'

/** Maximum bytes of the content of an imported or exported exchange as JSON. Larger ones are not stored. */
export const maxContentBytes = 512 * kibibyte

/** Bytes of a content as JSON: all that is stored of it, and parsed when it is read. */
export function contentBytes({ messages, response, tools, responseFormat, params }: RawContent): number {
  return [messages, response, tools, responseFormat, params].reduce<number>(
    (bytes, value) => bytes + (value === null ? 0 : Buffer.byteLength(JSON.stringify(value))),
    0,
  )
}

/**
 * Maximum nesting of an uploaded entry or example: that of an answer of a provider, which is part of a log entry, so that what
 * was exported can be imported. To write or read much deeper values again can fail, depending on how much of the stack is free.
 */
const maxDepth = 256
/** Maximum parts. A content of 512 KB has no more: a list of empty lists has two in three bytes. More take seconds to parse. */
const maxParts = Math.ceil((2 * maxContentBytes) / 3)

/** What forbids to parse an uploaded text; null when nothing does. */
export function problemOfText(text: string): 'too-large' | 'too-deep' | null {
  const { depth, parts } = measureJson(text)
  if (depth > maxDepth) return 'too-deep'
  return parts > maxParts ? 'too-large' : null
}

export const tooDeepMessage = `is nested deeper than ${maxDepth} levels.`
