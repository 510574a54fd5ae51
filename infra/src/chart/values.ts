import { isDeepStrictEqual } from 'node:util'

/** Values of the chart: a tree. */
export type Values = { [key: string]: unknown }

/** Sets a value of a tree. @throws Error when it has another value already */
export function setValue(values: Values, at: readonly string[], value: unknown): void {
  const [key = '', ...rest] = at
  if (rest.length > 0) {
    values[key] ??= {}
    setValue(values[key] as Values, rest, value)
    return
  }
  const known = values[key]
  if (known !== undefined && !isDeepStrictEqual(known, value)) throw new Error(`${at.join('.')} has two values`)
  values[key] = value
}

export function valueAt(values: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((inside, key) => (inside as Values | undefined)?.[key], values)
}

/** Maps whose keys are the operator's. */
const openMaps = new Set(['annotations', 'configMaps', 'digests', 'limits', 'requests', 'resources', 'secretStoreRef'])

/** A JSON schema of values, with which Helm refuses a misspelt name. */
export function schemaOf(value: unknown, name = ''): Values {
  if (value === null) return { type: ['string', 'integer', 'null'] }
  if (Array.isArray(value)) return { type: 'array' }
  if (typeof value === 'number') return { type: 'integer', minimum: 0 }
  if (typeof value !== 'object') return { type: typeof value }
  const fields = Object.entries(value)
  if (name === 'configMaps') return { type: 'object', additionalProperties: textMap }
  if (name === 'digests') return textMap
  if (openMaps.has(name)) return { type: 'object' }
  const properties = Object.fromEntries(fields.map(([key, each]) => [key, schemaOf(each, key)]))
  // Helm adds `global` to the values of every chart.
  const added = name === '' ? { global: { type: 'object' } } : {}
  return { type: 'object', properties: { ...properties, ...added }, additionalProperties: false }
}

const textMap = { type: 'object', additionalProperties: { type: 'string' } }
