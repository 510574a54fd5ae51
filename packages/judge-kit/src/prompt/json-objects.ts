import { asObject, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import { stripReasoning } from './strip-reasoning.ts'

/** A longer message of a judge is not searched. */
const maxMessageCharacters = 200_000

/**
 * The JSON objects in a judge's message without its reasoning, last first. Objects inside other objects are left out,
 * because a judge may quote them. Takes linear time.
 */
export function lastObjectsFirst(message: string): readonly Fields[] {
  if (message.length > maxMessageCharacters) return []
  return outermostObjects(stripReasoning(message))
    .reverse()
    .map((text) => asObject(parseJson(text)))
    .filter((object) => object !== null)
}

/**
 * Texts that may be JSON objects, none inside another. Everything after an unclosed object is ignored, because it is
 * ambiguous what of it is quoted.
 */
function outermostObjects(text: string): string[] {
  const objects: string[] = []
  // Inside an object only strings and braces matter. A token never fails half way, so the search takes linear time.
  const token = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*"?|[{}]/g
  const opening = /\{(?=\s*")/g
  for (let start = opening.exec(text); start !== null; start = opening.exec(text)) {
    const end = closeOf(text, start.index, token)
    if (end === null) break
    objects.push(text.slice(start.index, end))
    opening.lastIndex = end
  }
  return objects
}

/** Index after the brace that closes the one at `start`, or null. */
function closeOf(text: string, start: number, token: RegExp): number | null {
  let depth = 0
  token.lastIndex = start
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === '{') depth += 1
    if (found[0] === '}') depth -= 1
    if (depth === 0) return token.lastIndex
  }
  return null
}
