/** Levels of nesting that writing a value as JSON again can take by far. */
const maxDepth = 200
/** Far more than a conversation of 512 KB is made of. */
const maxValues = 100_000

/**
 * The object or array that a text spells as JSON; any other value as it is, one that is nested too deep or made of too
 * many parts included.
 */
export function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    const parsed: unknown = JSON.parse(value)
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

/** A text as it is, anything else as JSON; nothing as an empty text. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
