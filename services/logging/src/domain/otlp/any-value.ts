/** Attributes by their keys: text, booleans, numbers, arrays and objects, null for what has no value. */
export type Attributes = ReadonlyMap<string, unknown>

/** Nested values deeper than this are null. */
const maxDepth = 64

/** Reads a list of OTLP's KeyValue, from either encoding; what is none is left out, the last of a key counts. */
export function readAttributes(keyValues: unknown): Attributes {
  const attributes = new Map<string, unknown>()
  for (const [key, value] of pairs(keyValues, 0)) attributes.set(key, value)
  return attributes
}

function* pairs(keyValues: unknown, depth: number): Generator<[string, unknown]> {
  if (!Array.isArray(keyValues)) return
  for (const pair of keyValues) {
    if (isRecord(pair) && typeof pair.key === 'string') yield [pair.key, readAnyValue(pair.value, depth)]
  }
}

type Reader = (value: unknown, depth: number) => unknown

/** The members of AnyValue: of several, which no encoder writes, the first counts. */
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
  if (!isRecord(value) || depth > maxDepth) return null
  const found = readers.find(([name]) => Object.hasOwn(value, name))
  return found === undefined ? null : found[1](value[found[0]], depth)
}

/** A number where it is one exactly, otherwise its digits. JSON has 64 bit numbers as text, protobuf as objects. */
function readInteger(value: unknown): unknown {
  const digits = digitsOf(value)
  if (digits === null) return null
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits
}

/** The digits of a 64 bit integer in whatever form an encoding has it; null for anything else. */
export function digitsOf(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string' && !isLong(value)) return null
  const digits = String(value)
  return /^-?\d{1,20}$/.test(digits) ? digits : null
}

function isLong(value: unknown): boolean {
  return isRecord(value) && typeof value.low === 'number' && typeof value.high === 'number' && 'unsigned' in value
}

function readDouble(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function readArray(value: unknown, depth: number): unknown {
  if (!isRecord(value)) return null
  const values = value.values ?? []
  return Array.isArray(values) ? values.map((each) => readAnyValue(each, depth + 1)) : null
}

function readKeyValueList(value: unknown, depth: number): unknown {
  return isRecord(value) ? Object.fromEntries(pairs(value.values, depth + 1)) : null
}

/** Base64, which JSON has already. */
function readBytes(value: unknown): string | null {
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : null
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
