import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { type Fields, isObject } from '@ratchet/service-kit/values/json'
import { replyLimits } from '../wire/chat/read-reply.ts'
import { invalid } from '../wire/refusal.ts'

/**
 * The arguments of a tool call as the object that most providers require, with all digits of its numbers; chat has its
 * text. The text of a call without arguments may be empty or missing. Models do write text that is not the JSON of an
 * object; it becomes a member of one, so that the model can read what it wrote and call again.
 *
 * @throws Refusal naming the path when the arguments are not a text
 */
export function readToolArguments(value: unknown, path: string): Fields {
  const text = value ?? ''
  if (typeof text !== 'string') throw invalid(path, 'must be a string')
  const input = text.trim() === '' ? {} : parseSafely(text)
  return isObject(input) ? input : { [malformed]: text }
}

/** The member with a text that is not the JSON of an object. */
const malformed = 'malformed_arguments'

/** Null when the text is not JSON, or deeper than any model writes. */
function parseSafely(text: string): unknown {
  if (!scanJson(Buffer.from(text), replyLimits).ok) return null
  try {
    return parseExact(text)
  } catch {
    return null
  }
}
