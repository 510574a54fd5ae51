import type { SchemaMismatch } from '@ratchet/judge-kit/schemas/schema-checks'
import { measureJson } from '@ratchet/service-kit/json/measure-json'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { JsonObject } from './environment-tool.ts'

/** Bounds of the arguments of one call. */
export const maxArgumentsLength = 16_384
const maxParts = 4_000
const maxDepth = 20

/** The arguments of a call, from what a model wrote: an object, or nothing at all. Otherwise what is wrong with them. */
export function readArguments(text: string): JsonObject | string {
  if (text.length > maxArgumentsLength) return `The arguments are longer than ${maxArgumentsLength} characters.`
  const { depth, parts } = measureJson(text)
  if (depth > maxDepth) return `The arguments have more than ${maxDepth} levels.`
  if (parts > maxParts) return `The arguments have more than ${maxParts} values.`
  if (text.trim() === '') return {}
  const value = parseJson(text)
  if (value === undefined) return 'The arguments are not JSON.'
  return isObject(value) ? value : 'The arguments are not a JSON object.'
}

/** What is wrong with arguments, in words for a model. */
export function describeMismatch({ path, problem }: SchemaMismatch): string {
  return `${path === '' ? 'The arguments' : `The argument ${path.slice(1)}`} ${problem}.`
}
