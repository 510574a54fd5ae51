import type { Fields } from '@ratchet/service-kit/values/json'
import { readExactObject } from './json/exact-json.ts'

/** The member with a text that is not the JSON of an object. */
const malformed = 'malformed_arguments'

/**
 * The arguments of a tool call, which chat has as text, as an object with all digits of its numbers. Some providers send an
 * empty text for a tool without arguments. Models do write text that is not the JSON of an object, or deeper than can be
 * parsed safely; it becomes a member of one.
 */
export function argumentsObject(text: string): Fields {
  if (text.trim() === '') return {}
  return readExactObject(Buffer.from(text)) ?? { [malformed]: text }
}
