import { parseExact } from '@ratchet/service-kit/values/exact-json'

/** Maximum depth; JSON.stringify can write much deeper values. */
const maxDepth = 200
/** Maximum number of values; a conversation of 512 KB has far fewer. */
const maxValues = 100_000

/**
 * Parses a text that is a JSON object or array, with numbers as `parseExact` reads them: those of content are only written
 * again. Any other value is returned unchanged, also JSON that is nested too deeply or has too many values.
 */
export function parseJsonText(value: unknown): unknown {
  return parseModest(value, parseExact)
}

/** The same for facts, whose numbers are ordinary ones. */
export function parseJsonFacts(value: unknown): unknown {
  return parseModest(value, JSON.parse)
}

function parseModest(value: unknown, parse: (text: string) => unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    const parsed = parse(value)
    return isModest(parsed) ? parsed : value
  } catch {
    return value
  }
}

function isModest(value: unknown): boolean {
  let level = [value]
  let count = 0
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const members = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    if (members.length === 0) return true
    count += members.length
    if (count > maxValues) return false
    level = members
  }
  return false
}

/** A text is returned unchanged, null and undefined as an empty text, any other value as JSON. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
