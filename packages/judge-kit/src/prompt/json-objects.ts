import { stripReasoning } from './strip-reasoning.ts'

/** Characters of a judge's message; a longer one holds nothing. */
const longestMessage = 200_000

/**
 * The JSON objects that a judge's message holds once its thoughts are left out, the last first. Objects within other
 * objects, which a judge may quote, are not among them. Takes linear time.
 */
export function lastObjectsFirst(message: string): readonly Readonly<Record<string, unknown>>[] {
  if (message.length > longestMessage) return []
  return outermostObjects(stripReasoning(message))
    .reverse()
    .map(readObject)
    .filter((object) => object !== null)
}

function readObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}

/**
 * The texts that may be JSON objects, none within another. What is never closed hides whatever follows it: a
 * message that leaves open what is quoted and what is said has no verdict.
 */
function outermostObjects(text: string): string[] {
  const objects: string[] = []
  // Within an object only these matter; a string is one of them, whatever it holds. None is ever given up half way.
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

/** Behind the brace that closes the one at `start`, or null. */
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
