import { WireError } from './wire-error.ts'

/** A JSON object whose members are not validated. */
export type Fields = Record<string, unknown>

/** True when `value` is a JSON object (not an array, not null). */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses a JSON text; null when it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** An integer member within [least, most]; null when absent or null. @throws WireError naming the parameter */
export function integerIn(fields: Fields, param: string, least: number, most: number): number | null {
  const value = fields[param] ?? null
  if (value === null) return null
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(param, 'an integer', value)
  return withinRange({ param, value, least, most, noun: 'integer' })
}

/** A number member within [least, most]; null when absent or null. @throws WireError naming the parameter */
export function decimalIn(fields: Fields, param: string, least: number, most: number): number | null {
  const value = fields[param] ?? null
  if (value === null) return null
  if (typeof value !== 'number') throw wrongType(param, 'a decimal', value)
  return withinRange({ param, value, least, most, noun: 'decimal' })
}

/** A boolean member, false when absent or null. @throws WireError naming the parameter */
export function booleanOf(fields: Fields, param: string): boolean {
  const value = fields[param] ?? false
  if (typeof value !== 'boolean') throw wrongType(param, 'a boolean', value)
  return value
}

/**
 * A required array member with at least one item.
 *
 * @throws WireError naming the parameter
 */
export function itemsOf(fields: Fields, param: string): readonly unknown[] {
  const value = fields[param] ?? null
  if (value === null) throw missing(param)
  if (!Array.isArray(value)) throw wrongType(param, 'an array of objects', value)
  if (value.length > 0) return value
  const message = `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`
  throw new WireError(400, message, { param, code: 'empty_array' })
}

/**
 * A required string member.
 *
 * @throws WireError naming the parameter
 */
export function textOf(fields: Fields, param: string, path = param): string {
  const value = fields[param] ?? null
  if (value === null) throw missing(path)
  if (typeof value !== 'string') throw wrongType(path, 'a string', value)
  return value
}

/** OpenAI's refusal of a missing member. */
export function missing(param: string): WireError {
  return new WireError(400, `Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' })
}

/** OpenAI's refusal of a member of the wrong type. */
export function wrongType(param: string, expected: string, value: unknown): WireError {
  const message = `Invalid type for '${param}': expected ${expected}, but got ${nameOfType(value)} instead.`
  return new WireError(400, message, { param, code: 'invalid_type' })
}

/** OpenAI's refusal of a member with an unsupported value. */
export function wrongValue(param: string, value: unknown, supported: readonly string[]): WireError {
  const names = supported.map((name) => `'${name}'`)
  const list = `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`
  const message = `Invalid value: '${String(value)}'. Supported values are: ${list}.`
  return new WireError(400, message, { param, code: 'invalid_value' })
}

function withinRange(field: { param: string; value: number; least: number; most: number; noun: string }): number {
  const { param, value, least, most, noun } = field
  if (value >= least && value <= most) return value
  const [side, comparison, bound] = value < least ? ['below minimum', '>=', least] : ['above maximum', '<=', most]
  const message = `Invalid '${param}': ${noun} ${side} value. Expected a value ${comparison} ${bound}, but got ${value} instead.`
  throw new WireError(400, message, {
    param,
    code: `${noun}_${String(side).replace(' ', '_').replace('imum', '')}_value`,
  })
}

function nameOfType(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal'
  return `a ${typeof value}`
}
