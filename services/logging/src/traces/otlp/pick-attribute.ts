import type { Attributes } from './any-value.ts'
import { cleanText } from './clean-text.ts'

/** The first text among the attributes; for a list its first member. */
export function pickText(attributes: Attributes, names: readonly string[], maxLength: number): string | null {
  for (const name of names) {
    const value = attributes.get(name)
    const text = cleanText(Array.isArray(value) ? value[0] : value, maxLength)
    if (text !== null) return text
  }
  return null
}

const maxInteger = 2_147_483_647

/** The first whole number from 0 to 2³¹ − 1 among the attributes, as number or digits. */
export function pickCount(attributes: Attributes, names: readonly string[]): number | null {
  for (const name of names) {
    const value = attributes.get(name)
    const count = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= maxInteger) return count
  }
  return null
}

/** The first boolean among attributes. */
export function pickFlag(attributes: Attributes, names: readonly string[]): boolean | null {
  const found = names.find((name) => typeof attributes.get(name) === 'boolean')
  return found === undefined ? null : attributes.get(found) === true
}

/** The first number among attributes. */
export function pickNumber(attributes: Attributes, names: readonly string[]): number | null {
  const found = names.map((name) => attributes.get(name)).find((value) => typeof value === 'number')
  return found === undefined ? null : (found as number)
}

/** The first value among the attributes, of any type. */
export function pickValue(attributes: Attributes, names: readonly string[]): unknown {
  return names.map((name) => attributes.get(name)).find((value) => value !== undefined && value !== null)
}
