import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type Fields, isObject } from '@ratchet/service-kit/values/json'
import { FlatRefusal } from './flat-refusal.ts'

export interface SpelledBody<Request> {
  readonly request: Request
  /** An error about the request that names a field as the client spells it; any other error as it is. */
  asSpelled(error: unknown): unknown
}

/**
 * Reads a body with keys in camelCase or snake_case.
 *
 * @param opaque fields whose value has keys of the user's choice
 * @param read reads the body, with all keys in camelCase
 * @throws FlatRefusal for a key in both spellings with different values
 * @throws ServiceError what `read` throws, naming the field as the client spells it
 */
export function readSpelled<Request>(
  sent: unknown,
  opaque: ReadonlySet<string>,
  read: (body: unknown) => Request,
): SpelledBody<Request> {
  const spelling = new Map<string, string>()
  const asSpelled = (error: unknown) => withClientsSpelling(spelling, error)
  const body = camelCased(sent, { spelling, opaque })
  try {
    return { request: read(body), asSpelled }
  } catch (error) {
    throw asSpelled(error)
  }
}

/** More than any valid body has. */
const maxDepth = 6

interface Reading {
  /** Gets the sent key of each key in snake_case. */
  readonly spelling: Map<string, string>
  readonly opaque: ReadonlySet<string>
}

function camelCased(value: unknown, reading: Reading, depth = 0): unknown {
  if (Array.isArray(value)) return depth > maxDepth ? value : value.map((item) => camelCased(item, reading, depth + 1))
  if (!isObject(value) || depth > maxDepth) return value
  const read: [string, unknown][] = []
  const values = new Map<string, unknown>()
  for (const [key, member] of Object.entries(value as Fields)) {
    const name = camelCaseOf(key)
    if (name !== key) reading.spelling.set(name, key)
    const own = reading.opaque.has(name) ? member : camelCased(member, reading, depth + 1)
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
