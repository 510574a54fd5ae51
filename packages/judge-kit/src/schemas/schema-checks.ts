import type { Fields } from '@ratchet/service-kit/values/json'
import { ordered } from '@ratchet/service-kit/values/ordered'
import { createRecentMap } from '@ratchet/service-kit/values/recent-map'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { compileLinearSearch } from './linear-search.ts'
import { schemaProblem, totalProblem } from './schema-bounds.ts'

/** What does not fit: the first of it. */
export interface SchemaMismatch {
  /** Where it is, such as `/pair/1`; empty for the value itself. */
  readonly path: string
  /** Such as `must be string`, at most 400 characters. */
  readonly problem: string
}

/** Compares a value with a schema. Null when it fits. */
export type SchemaCheck = (value: unknown) => SchemaMismatch | null

/** Patterns of schemas. The validator tells them apart by their text. */
const linear = Object.assign((pattern: string) => ({ test: compileLinearSearch(pattern), toString: () => pattern }), {
  code: 'compileLinearSearch',
})

/** Formats are annotations, as the standard says by default. Nothing is loaded, filled in or converted. */
function newValidator(): Ajv2020 {
  const validator = new Ajv2020({
    ownProperties: true,
    strict: false,
    validateFormats: false,
    logger: false,
    code: { regExp: linear },
  })
  // The validator's own compares each item with each other one, for every schema that asks.
  validator.removeKeyword('uniqueItems')
  const known = new WeakMap<object, boolean>()
  return validator.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    compile: (isAsked: boolean) => (items: readonly unknown[]) => {
      const unique = !isAsked || (known.get(items) ?? areUnique(items))
      if (isAsked) known.set(items, unique)
      return unique
    },
  })
}

function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(ordered(item)))).size === items.length
}

/** Schemas that stay compiled. */
const maxCompiled = 500

export interface SchemaChecks {
  /** Why a schema cannot be used; null when it can. It is compiled, which may take some tenths of a second. */
  problem(schema: unknown): string | null
  /** The same for several of one request. @returns the place and the problem of the first that cannot be used */
  firstProblem(schemas: readonly unknown[]): { readonly index: number; readonly problem: string } | null
  /** @param schema one without a problem */
  checkOf(schema: Fields): SchemaCheck
}

/** Checks of JSON Schemas (2020-12) that come from workspaces. */
export function createSchemaChecks(): SchemaChecks {
  const validator = newValidator()
  const compiled = createRecentMap<ValidateFunction>(maxCompiled)
  const compile = (schema: Fields): ValidateFunction => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known !== undefined) return known
    const validate = validator.compile(schema)
    // It would keep every schema.
    validator.removeSchema(schema)
    compiled.set(text, validate)
    return validate
  }
  function problem(schema: unknown): string | null {
    const exceeded = schemaProblem(schema)
    if (exceeded !== null) return exceeded
    try {
      compile(schema as Fields)
      return null
    } catch (error) {
      return (error as Error).message.slice(0, 300)
    }
  }
  return {
    problem,
    firstProblem(schemas) {
      // Before any is compiled.
      const [exceeded] = schemas.flatMap((schema, index) => {
        const found = schemaProblem(schema)
        return found === null ? [] : { index, problem: found }
      })
      if (exceeded !== undefined) return exceeded
      const total = totalProblem(schemas)
      if (total !== null) return { index: 0, problem: total }
      for (const [index, schema] of schemas.entries()) {
        const found = problem(schema)
        if (found !== null) return { index, problem: found }
      }
      return null
    },
    checkOf(schema) {
      const validate = compile(schema)
      return (value) => {
        if (validate(value)) return null
        const { instancePath = '', message = 'is not valid', params = {} } = validate.errors?.[0] ?? {}
        const name: unknown = params.additionalProperty ?? params.unevaluatedProperty
        return { path: instancePath, problem: `${message}${typeof name === 'string' ? `: ${name}` : ''}`.slice(0, 400) }
      }
    },
  }
}
