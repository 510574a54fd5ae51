import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { asList, isObject } from '@ratchet/service-kit/values/json'
import { linearSearchSize } from './linear-search.ts'

/** Bounds of a schema of arguments, so that no check takes more than some milliseconds. */
export const schemaBounds = {
  maxBytes: 32 * kibibyte,
  /** Schemas inside one another. */
  maxDepth: 10,
  /** Schemas that are compared with one value, fours of values of `enum`, and characters of patterns, with references written out. */
  maxSize: 500,
  /** The same of all schemas of one request, because each is compiled. */
  maxTotalSize: 1_000,
} as const

/** Keywords that would let a schema refer to itself or to other documents. */
const refused = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$vocabulary']
const single = [
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['if', 'then', 'else', 'not', 'contentSchema'],
]
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const maps = ['properties', 'patternProperties', 'dependentSchemas']

/** Says why a schema exceeds the bounds or has a keyword that is refused; null when it does neither. */
export function schemaProblem(schema: unknown): string | null {
  try {
    if (!isObject(schema)) return 'it must be an object'
    if (Buffer.byteLength(JSON.stringify(schema)) > schemaBounds.maxBytes) return 'it is longer than 32 KB'
    return wholeSize(schema) > schemaBounds.maxSize
      ? `it has more than ${schemaBounds.maxSize} parts, with references written out`
      : null
  } catch (error) {
    if (error instanceof SchemaProblem) return error.message
    // A text that is nested too deeply to be written.
    if (error instanceof RangeError) return 'it is nested too deeply'
    throw error
  }
}

/** Says that schemas have too many parts together; null when they do not, and when one has a problem of its own. */
export function totalProblem(schemas: readonly unknown[]): string | null {
  if (schemas.some((schema) => schemaProblem(schema) !== null)) return null
  const size = schemas.filter(isObject).reduce((total, schema) => total + wholeSize(schema), 0)
  return size > schemaBounds.maxTotalSize ? `together they have more than ${schemaBounds.maxTotalSize} parts` : null
}

function wholeSize(schema: Readonly<Record<string, unknown>>): number {
  const definitions = isObject(schema.$defs) ? schema.$defs : {}
  const reader: Reader = { definitions, sizes: new Map(), open: new Set() }
  let size = sizeOf(reader, schema, 1)
  for (const name of Object.keys(definitions)) size = Math.max(size, sizeOfDefinition(reader, name, 2))
  return size
}

class SchemaProblem extends Error {
  override name = 'SchemaProblem'
}

interface Reader {
  readonly definitions: Readonly<Record<string, unknown>>
  readonly sizes: Map<string, number>
  /** Definitions that are being read. */
  readonly open: Set<string>
}

function sizeOf(reader: Reader, schema: unknown, depth: number): number {
  if (!isObject(schema)) return 1
  if (depth > schemaBounds.maxDepth) throw new SchemaProblem('it has more than 10 levels')
  const wrong = refused.find((keyword) => schema[keyword] !== undefined)
  if (wrong !== undefined) throw new SchemaProblem(`\`${wrong}\` is not allowed`)
  if (depth > 1 && schema.$defs !== undefined) throw new SchemaProblem('`$defs` is allowed at the top only')
  const inner = [
    ...single.map((keyword) => schema[keyword]),
    ...lists.flatMap((keyword) => asList(schema[keyword])),
    ...maps.flatMap((keyword) => (isObject(schema[keyword]) ? Object.values(schema[keyword]) : [])),
  ]
  let size =
    1 +
    sizeOfUnique(schema) +
    Math.ceil(asList(schema.enum).length / 4) +
    sizeOfPatterns(schema) +
    sizeOfReference(reader, schema.$ref, depth)
  for (const each of inner) if (each !== undefined) size += sizeOf(reader, each, depth + 1)
  return Math.min(size, Number.MAX_SAFE_INTEGER)
}

/** It costs more than other keywords to be prepared. */
function sizeOfUnique({ uniqueItems }: Readonly<Record<string, unknown>>): number {
  return uniqueItems === undefined ? 0 : 3
}

/** A pattern is compared with each character of a text, even a short one. */
const sizeOfPattern = 8

function sizeOfPatterns({ pattern, patternProperties }: Readonly<Record<string, unknown>>): number {
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
  let size = 0
  for (const each of typeof pattern === 'string' ? [pattern, ...names] : names) {
    try {
      size += sizeOfPattern + linearSearchSize(each)
    } catch (error) {
      throw new SchemaProblem(
        `the pattern ${JSON.stringify(each.slice(0, 100))} cannot be used: ${(error as Error).message}`,
      )
    }
  }
  return size
}

function sizeOfReference(reader: Reader, reference: unknown, depth: number): number {
  if (reference === undefined) return 0
  const [, name] = /^#\/\$defs\/([A-Za-z0-9_.-]{1,100})$/.exec(String(reference)) ?? []
  if (name === undefined) throw new SchemaProblem('`$ref` may name `#/$defs/…` only')
  return sizeOfDefinition(reader, name, depth + 1)
}

function sizeOfDefinition(reader: Reader, name: string, depth: number): number {
  const known = reader.sizes.get(name)
  if (known !== undefined) return known
  if (!Object.hasOwn(reader.definitions, name)) throw new SchemaProblem(`\`$defs\` has no ${name}`)
  if (reader.open.has(name)) throw new SchemaProblem(`the reference to ${name} is recursive`)
  reader.open.add(name)
  const size = sizeOf(reader, reader.definitions[name], Math.min(depth, 2))
  reader.open.delete(name)
  reader.sizes.set(name, size)
  return size
}
