import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { toEnd } from '@ratchet/service-kit/timing/to-end'
import type { Fields } from '@ratchet/service-kit/values/json'
import { ordered } from '@ratchet/service-kit/values/ordered'
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
    // Making the code smaller takes most of the time of compiling a large schema.
    code: { regExp: linear, optimize: false },
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

/** Schemas that stay compiled, and characters of all of them. */
const maxCompiled = 500
const maxCompiledChars = 4 * mebibyte

type Compile = (schema: Fields) => ValidateFunction

/**
 * Compiles schemas, and keeps the last ones. A validator keeps parts of every schema that it compiled, for good, so after some of
 * them a new one begins.
 */
function createCompile(): Compile {
  const begin = () => ({ validator: newValidator(), compiled: new Map<string, ValidateFunction>(), chars: 0 })
  let kept = begin()
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = kept.compiled.get(text)
    if (known !== undefined) return known
    if (kept.compiled.size >= maxCompiled || kept.chars + text.length > maxCompiledChars) kept = begin()
    // Also of one that cannot be compiled.
    kept.chars += text.length
    const validate = kept.validator.compile(schema)
    kept.validator.removeSchema(schema)
    kept.compiled.set(text, validate)
    return validate
  }
}

export interface SchemasProblem {
  readonly index: number
  readonly problem: string
}

export interface SchemaChecks {
  /** Why a schema cannot be used; null when it can. It is compiled, which may take some hundredths of a second. */
  problem(schema: unknown): string | null
  /** The same for several of one request. @returns the place and the problem of the first that cannot be used */
  firstProblem(schemas: readonly unknown[]): SchemasProblem | null
  /** The same in steps of one schema each, some hundredths of a second. */
  firstProblemInSteps(schemas: readonly unknown[]): Generator<void, SchemasProblem | null>
  /** @param schema one without a problem */
  checkOf(schema: Fields): SchemaCheck
}

/** Checks of JSON Schemas (2020-12) that come from workspaces. */
export function createSchemaChecks(): SchemaChecks {
  const compile = createCompile()
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
  function* inSteps(schemas: readonly unknown[]): Generator<void, SchemasProblem | null> {
    // Before any is compiled.
    const [exceeded] = schemas.flatMap((schema, index) => {
      const found = schemaProblem(schema)
      return found === null ? [] : { index, problem: found }
    })
    if (exceeded !== undefined) return exceeded
    const total = totalProblem(schemas)
    if (total !== null) return { index: 0, problem: total }
    for (const [index, schema] of schemas.entries()) {
      yield
      const found = problem(schema)
      if (found !== null) return { index, problem: found }
    }
    return null
  }
  return {
    problem,
    firstProblem: (schemas) => toEnd(inSteps(schemas)),
    firstProblemInSteps: inSteps,
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
