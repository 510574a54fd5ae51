/** A JSON object of unknown origin. Its members may have any value. */
export type Fields = Readonly<Record<string, unknown>>

/** Parses a JSON text; undefined when it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value is an object, but not an array. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value, if it is an object, but not an array; null otherwise. */
export function asObject(value: unknown): Fields | null {
  return isObject(value) ? value : null
}

/** The value, if it is an array; an empty one otherwise. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value, if it is a string; null otherwise. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Whether an optional field was left out. Null counts as left out. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}
