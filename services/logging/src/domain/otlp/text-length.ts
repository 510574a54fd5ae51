import type { Attributes } from './any-value.ts'

/** The UTF-16 units of all texts and keys among attributes: what reading them further will cost. */
export function textLength(attributes: Attributes): number {
  let length = 0
  let level: unknown[] = [...attributes.values()]
  for (const key of attributes.keys()) length += key.length
  while (level.length > 0) {
    for (const value of level) if (typeof value === 'string') length += value.length
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? [...Object.keys(value), ...Object.values(value)] : [],
    )
  }
  return length
}
