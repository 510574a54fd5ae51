/** A JSON object from outside: its members may be anything. */
export type Fields = Readonly<Record<string, unknown>>

export function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Whether an optional field was left out: null is as good as absent. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}
