import type { Fields } from '@ratchet/service-kit/values/json'
import { argumentsObject } from '../wire/arguments-object.ts'
import { invalid } from '../wire/refusal.ts'

/**
 * The arguments of a tool call as the object that most providers require. They may be missing. What is not the JSON of an
 * object is passed on, so that the model can read what it wrote and call again.
 *
 * @throws Refusal naming the path when the arguments are not a text
 */
export function readToolArguments(value: unknown, path: string): Fields {
  const text = value ?? ''
  if (typeof text !== 'string') throw invalid(path, 'must be a string')
  return argumentsObject(text)
}
