/** A JSON Schema, with the keywords that the provider reads. */
type Schema = Record<string, unknown>

interface Fitting {
  root: Schema
  /** The text for the first unrestricted string; later strings get a word. */
  text: string | null
  word: string
  depth: number
}

const maxDepth = 12

const formats: Record<string, string> = {
  'date-time': '2026-01-15T09:30:00Z',
  date: '2026-01-15',
  time: '09:30:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/item',
  uuid: '3f1c9a52-7d44-4d0b-9a55-0d7d2f8a6b11',
  ipv4: '192.0.2.10',
  hostname: 'example.com',
}

/**
 * A value that fits an ordinary JSON Schema: types, properties, items, enum, const, anyOf, oneOf, allOf, local $ref,
 * bounds of numbers, strings and arrays, common formats. `pattern` is ignored. The first string without format or enum
 * contains `text`.
 */
export function fitSchema(schema: Schema, text: string, word: string): unknown {
  return fitValue(schema, { root: schema, text, word, depth: 0 })
}

function fitValue(schema: Schema, state: Fitting): unknown {
  if (state.depth > maxDepth) return null
  const resolved = resolve(schema, state.root)
  if ('const' in resolved) return resolved.const
  const options = resolved.enum
  if (Array.isArray(options) && options.length > 0) return options[0]
  const alternatives = resolved.anyOf ?? resolved.oneOf
  if (Array.isArray(alternatives) && isSchema(alternatives[0])) return fitValue(alternatives[0], state)
  state.depth += 1
  const value = fitType(resolved, state)
  state.depth -= 1
  return value
}

function fitType(schema: Schema, state: Fitting): unknown {
  const declared = schema.type
  const type = Array.isArray(declared) ? declared.find((name) => name !== 'null') : declared
  if (type === 'object' || (type === undefined && isSchema(schema.properties))) return fitObject(schema, state)
  if (type === 'array') return fitArray(schema, state)
  if (type === 'integer' || type === 'number') return fitNumber(schema)
  if (type === 'boolean') return true
  if (type === 'string') return fitString(schema, state)
  return type === undefined && state.depth === 1 ? {} : null
}

function fitObject(schema: Schema, state: Fitting): unknown {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  // Deep optional members of a recursive schema are left out, because the value would be infinite.
  const names = Object.keys(properties).filter((name) => state.depth < 5 || required.includes(name))
  return Object.fromEntries(
    names.map((name) => {
      const property = properties[name]
      return [name, isSchema(property) ? fitValue(property, state) : null]
    }),
  )
}

function fitArray(schema: Schema, state: Fitting): unknown[] {
  const fallback = state.depth < 5 ? 1 : 0
  const length = Math.min(Math.max(numberOf(schema, 'minItems', fallback), 0), numberOf(schema, 'maxItems', 100), 100)
  const items = isSchema(schema.items) ? schema.items : { type: 'string' }
  return Array.from({ length }, () => fitValue(items, state))
}

function fitNumber(schema: Schema): number {
  const { low, high } = boundsOf(schema)
  const step = stepOf(schema)
  if (step === null) {
    if (Number.isFinite(low) && Number.isFinite(high)) return (low + high) / 2
    return Number.isFinite(low) ? low + 1 : Math.min(1, high - 1)
  }
  if (!Number.isFinite(low)) {
    const last = Math.floor(high / step) * step
    return Math.min(step, last === schema.exclusiveMaximum ? last - step : last)
  }
  const first = Math.ceil(low / step) * step
  return first === schema.exclusiveMinimum ? first + step : first
}

function boundsOf(schema: Schema): { low: number; high: number } {
  return {
    low: Math.max(numberOf(schema, 'minimum', -Infinity), numberOf(schema, 'exclusiveMinimum', -Infinity)),
    high: Math.min(numberOf(schema, 'maximum', Infinity), numberOf(schema, 'exclusiveMaximum', Infinity)),
  }
}

function stepOf(schema: Schema): number | null {
  const step = numberOf(schema, 'multipleOf', 0)
  if (step > 0) return step
  return schema.type === 'integer' ? 1 : null
}

function fitString(schema: Schema, state: Fitting): string {
  const format = schema.format
  const formatted = typeof format === 'string' ? formats[format] : undefined
  if (formatted !== undefined) return formatted
  const content = state.text ?? state.word
  state.text = null
  return content.slice(0, numberOf(schema, 'maxLength', 10_000)).padEnd(numberOf(schema, 'minLength', 0), '.')
}

function resolve(schema: Schema, root: Schema, depth = 0): Schema {
  let resolved = schema
  for (let hops = 0; typeof resolved.$ref === 'string' && hops < maxDepth; hops += 1) {
    resolved = follow(root, resolved.$ref)
  }
  const parts = resolved.allOf
  if (!Array.isArray(parts) || depth > maxDepth) return resolved
  return mergeAll([resolved, ...parts.filter(isSchema).map((part) => resolve(part, root, depth + 1))])
}

function follow(root: Schema, reference: string): Schema {
  let place: unknown = root
  for (const step of reference.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    place = isSchema(place) && Object.hasOwn(place, name) ? place[name] : undefined
  }
  return isSchema(place) ? place : {}
}

function mergeAll(schemas: readonly Schema[]): Schema {
  const properties = Object.assign({}, ...schemas.map((schema) => schema.properties ?? {}))
  return Object.assign({}, ...schemas, Object.keys(properties).length > 0 ? { properties } : {})
}

function numberOf(schema: Schema, name: string, fallback: number): number {
  const value = schema[name]
  return typeof value === 'number' ? value : fallback
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
