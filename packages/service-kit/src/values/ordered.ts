import { isObject } from './json.ts'

/** The same value with the keys of every object in order. */
export function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, ordered(member)])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
