import { isObject } from '@ratchet/service-kit/values/json'
/** Attributes by key: text, booleans, numbers, arrays and objects; null for an attribute without a value. */
export type Attributes = ReadonlyMap<string, unknown>

/** Nested values deeper than this are null. */
const maxDepth = 64

/**
 * Reads a list of OTLP's KeyValue from either encoding. Invalid members are skipped; the last value of a key counts.
 */
export function readAttributes(keyValues: unknown): Attributes {
  const attributes = new Map<string, unknown>()
  for (const [key, value] of pairs(keyValues, 0)) attributes.set(key, value)
  return attributes
}

function* pairs(keyValues: unknown, depth: number): Generator<[string, unknown]> {
  if (!Array.isArray(keyValues)) return
  for (const pair of keyValues) {
    if (isObject(pair) && typeof pair.key === 'string') yield [pair.key, readAnyValue(pair.value, depth)]
  }
}

type Reader = (value: unknown, depth: number) => unknown

/** Readers of the members of AnyValue. If a value has several, which no encoder writes, the first counts. */
const readers: readonly (readonly [string, Reader])[] = [
  ['stringValue', (value) => (typeof value === 'string' ? value : null)],
  ['boolValue', (value) => (typeof value === 'boolean' ? value : null)],
  ['intValue', readInteger],
  ['doubleValue', readDouble],
  ['arrayValue', readArray],
  ['kvlistValue', readKeyValueList],
  ['bytesValue', readBytes],
]

function readAnyValue(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth > maxDepth) return null
  const found = readers.find(([name]) => Object.hasOwn(value, name))
  return found === undefined ? null : found[1](value[found[0]], depth)
}

/** A number if it is a safe integer, otherwise its digits. 64 bit numbers are text in JSON and objects in protobuf. */
function readInteger(value: unknown): unknown {
  const digits = digitsOf(value)
  if (digits === null) return null
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits
}

/** The digits of a 64 bit integer from either encoding; null for any other value. */
export function digitsOf(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string' && !isLong(value)) return null
  const digits = String(value)
  return /^-?\d{1,20}$/.test(digits) ? digits : null
}

function isLong(value: unknown): boolean {
  return isObject(value) && typeof value.low === 'number' && typeof value.high === 'number' && 'unsigned' in value
}

function readDouble(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function readArray(value: unknown, depth: number): unknown {
  if (!isObject(value)) return null
  const values = value.values ?? []
  return Array.isArray(values) ? values.map((each) => readAnyValue(each, depth + 1)) : null
}

function readKeyValueList(value: unknown, depth: number): unknown {
  return isObject(value) ? Object.fromEntries(pairs(value.values, depth + 1)) : null
}

/** Bytes as Base64, which the JSON encoding has already. */
function readBytes(value: unknown): string | null {
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : null
}

/** The UTF-16 units of all texts and keys among the attributes, which bound the cost of reading them. */
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
