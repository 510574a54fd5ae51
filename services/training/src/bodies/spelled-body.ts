import { isDeepStrictEqual } from 'node:util'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type Fields, isObject } from '@ratchet/service-kit/values/json'
import type { z } from 'zod'
import { FlatRefusal } from './flat-refusal.ts'

export interface SpelledBody<S extends z.ZodType> {
  readonly request: z.output<S>
  /** An error about the request that names a field as the client spells it; any other error as it is. */
  asSpelled(error: unknown): unknown
}

export interface Spelling<S extends z.ZodType> {
  readonly schema: S
  /** Fields whose keys are the user's. */
  readonly opaque: ReadonlySet<string>
  /** Throws for what the schema cannot express. */
  readonly check?: (request: z.output<S>) => void
}

/**
 * Reads a body with keys in camelCase or snake_case.
 *
 * @throws FlatRefusal for a key in both spellings with different values, and what `check` throws
 * @throws ServiceError 400 for everything else, naming the field as the client spells it
 */
export function readSpelled<S extends z.ZodType>(
  sent: unknown,
  { schema, opaque, check }: Spelling<S>,
): SpelledBody<S> {
  const spelling = new Map<string, string>()
  const body = camelCased(sent, { spelling, opaque })
  const asSpelled = (error: unknown) => withClientsSpelling(spelling, error)
  try {
    const request = parseInput(schema, body)
    check?.(request)
    return { request, asSpelled }
  } catch (error) {
    throw asSpelled(error)
  }
}

/** More than any valid body has. */
const maxDepth = 6

interface Reader {
  /** Gets the sent key of each key in snake_case. */
  readonly spelling: Map<string, string>
  readonly opaque: ReadonlySet<string>
}

function camelCased(value: unknown, reader: Reader, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => camelCased(each, reader, depth + 1))
  if (!isObject(value) || depth > maxDepth) return value
  const read: [string, unknown][] = []
  const values = new Map<string, unknown>()
  for (const [key, member] of Object.entries(value as Fields)) {
    const name = camelCaseOf(key)
    if (name !== key) reader.spelling.set(name, key)
    const own = reader.opaque.has(name) ? member : camelCased(member, reader, depth + 1)
    if (values.has(name) && !isDeepStrictEqual(values.get(name), own)) {
      throw new FlatRefusal(`\`${name}\` and \`${snakeCaseOf(name)}\` are the same field and have different values.`)
    }
    if (!values.has(name)) read.push([name, own])
    values.set(name, own)
  }
  return Object.fromEntries(read)
}

function camelCaseOf(key: string): string {
  return /^[a-z]+(_[a-z]+)+$/.test(key) ? key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : key
}

function snakeCaseOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function withClientsSpelling(spelling: ReadonlyMap<string, string>, error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.param === null) return error
  const { code, message, details, cause, headers } = error
  const param = error.param
    .split('.')
    .map((name) => spelling.get(name) ?? name)
    .join('.')
  if (param === error.param) return error
  const more = details === undefined ? { cause, headers } : { cause, headers, details }
  return new ServiceError(code, message.replaceAll(error.param, param), { param, ...more })
}
