import { z } from 'zod'
import { type Endpoint, Nothing, operationId } from './endpoint.ts'
import { schemaNames } from './schema-names.ts'

export type Json = Record<string, unknown>
type Direction = 'input' | 'output'
type Named = readonly (readonly [schema: z.ZodType, name: string])[]
type Schemas = Readonly<Record<string, Json>>

const place = '#/components/schemas/'

/** The JSON schemas of endpoints. Those with a name are components of the document, and everything else refers to them. */
export interface DescribedSchemas {
  readonly components: Schemas
  /** The schema of a body or of a reply: a reference to a component. */
  readonly refTo: (schema: z.ZodType, direction: Direction) => Json
  /** The parameters of a path or of a query. */
  readonly membersOf: (schema: z.ZodType) => SchemaMembers
  /** Whether a body may have any member. */
  readonly hasMembers: (body: z.ZodType) => boolean
}

export interface SchemaMembers {
  readonly properties: Json
  readonly required: readonly string[]
}

/**
 * Describes the schemas that endpoints use. A body or a reply without a name is named after its operation. A schema that
 * looks different in a body and in a reply, because it has defaults or drops unknown members, is two components.
 *
 * @throws Error when two schemas have the same name
 */
export function describeSchemas(
  endpoints: readonly Endpoint[],
  errors: readonly z.ZodType[],
  names: ReadonlyMap<z.ZodType, string> = schemaNames,
): DescribedSchemas {
  const bodies = endpoints.map((each) => [each.body, `${typeName(each)}Request`] as const)
  const forms = endpoints.flatMap((each) => (each.form === null ? [] : [[each.form, `${typeName(each)}Form`] as const]))
  const answers = endpoints
    .filter(({ downloads }) => downloads.length === 0)
    .map((each) => [each.reply, `${typeName(each)}Response`] as const)
  // Read for their members only, so they are no components.
  const hidden = [Nothing, ...endpoints.flatMap(({ params, query }) => [params, query])].map(
    (schema, i) => [schema, `:${i}`] as const,
  )
  const input = print([...hidden, ...names, ...bodies, ...forms], 'input')
  const output = print([...names, ...answers], 'output')
  const answered = reachedFrom([...errors, ...answers.map(([schema]) => schema)].map(output.nameOf), output.schemas)
  const sent = reachedFrom(
    [...hidden, ...bodies, ...forms].map(([schema]) => input.nameOf(schema)),
    input.schemas,
  )
  const rename = inputNames(sent, answered)
  const printed = { ...answered, ...renamed(sent, rename) }
  const inputOf = (schema: z.ZodType): Partial<SchemaMembers> & Json => printed[rename(input.nameOf(schema))] ?? {}
  return {
    components: Object.fromEntries(
      Object.entries(printed)
        .filter(([name]) => !name.startsWith(':'))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    refTo: (schema, direction) => ({
      $ref: place + (direction === 'input' ? rename(input.nameOf(schema)) : output.nameOf(schema)),
    }),
    membersOf(schema) {
      const { properties = {}, required = [] } = inputOf(schema)
      return { properties, required }
    },
    hasMembers(body) {
      const { properties = {}, anyOf, oneOf } = inputOf(body)
      return (anyOf ?? oneOf) !== undefined || Object.keys(properties).length > 0
    },
  }
}

function typeName(endpoint: Endpoint): string {
  const id = operationId(endpoint)
  return `${id[0]?.toUpperCase()}${id.slice(1)}`
}

interface Printed {
  readonly schemas: Schemas
  readonly nameOf: (schema: z.ZodType) => string
}

/** Prints each schema once, under its first name. */
function print(named: Named, io: Direction): Printed {
  const registry = z.registry<{ id: string }>()
  const taken = new Map<string, z.ZodType>()
  const nameOf = new Map<z.ZodType, string>()
  for (const [schema, id] of named) {
    if (nameOf.has(schema)) continue
    if (taken.has(id)) throw new Error(`Two schemas are called ${id}: give one of them another name.`)
    taken.set(id, schema)
    nameOf.set(schema, id)
    registry.add(schema, { id })
  }
  const uri = (id: string) => place + id
  const { schemas } = z.toJSONSchema(registry, { io, unrepresentable: 'any', uri, override: adapt })
  return {
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [name, schema as Json]),
    ),
    nameOf: (schema) => nameOf.get(schema) ?? '',
  }
}

interface Adapted {
  default?: unknown
  items?: unknown
  prefixItems?: readonly unknown[]
}

/** Adds the default of a field that converts text to a number, and describes tuples as lists, which generators take. */
function adapt({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Adapted }): void {
  const { def } = zodSchema._zod
  if (def.type === 'default' && typeof def.defaultValue === 'number') jsonSchema.default ??= def.defaultValue
  if (def.type !== 'tuple' || jsonSchema.prefixItems === undefined) return
  const kinds = new Map(jsonSchema.prefixItems.map((item) => [JSON.stringify(item), item]))
  const [first] = kinds.values()
  jsonSchema.items = kinds.size === 1 ? first : { anyOf: [...kinds.values()] }
  delete jsonSchema.prefixItems
}

/** The name of each schema of a body: `…Input` where the schema of the same name in a reply is another one. */
function inputNames(input: Schemas, output: Schemas): (name: string) => string {
  const differs = (name: string, schema: Json) =>
    name in output && JSON.stringify(output[name]) !== JSON.stringify(schema)
  const other = new Set(Object.keys(input).filter((name) => differs(name, input[name] ?? {})))
  let before = -1
  // A schema that refers to another one that differs differs too.
  while (before !== other.size) {
    before = other.size
    for (const [name, schema] of Object.entries(input)) {
      if (name in output && [...refsIn(schema)].some((used) => other.has(used))) other.add(name)
    }
  }
  return (name) => (other.has(name) ? `${name}Input` : name)
}

function renamed(schemas: Schemas, rename: (name: string) => string): Schemas {
  const text = JSON.stringify(schemas, (key, value: unknown) =>
    key === '$ref' ? place + rename(nameIn(String(value))) : value,
  )
  return Object.fromEntries(Object.entries(JSON.parse(text) as Record<string, Json>).map(([k, v]) => [rename(k), v]))
}

function reachedFrom(roots: readonly string[], schemas: Schemas): Schemas {
  const reached = new Set(roots)
  // A set also visits what is added while it is read.
  for (const name of reached) for (const used of refsIn(schemas[name])) reached.add(used)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => reached.has(name)))
}

/** The names of the components that a schema refers to. */
function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref') yield nameIn(String(member))
    else yield* refsIn(member)
  }
}

function nameIn(reference: string): string {
  return reference.slice(place.length)
}
