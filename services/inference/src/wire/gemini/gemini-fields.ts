import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'

/**
 * The members of an object of Gemini's API, which clients may spell in snake case too. Members that are absent or null are
 * left out.
 *
 * @throws ServiceError `invalid_request` for anything but an object, `unsupported_parameter` for a member that is not known
 */
export function geminiFields<K extends string>(
  value: unknown,
  path: string,
  known: readonly K[],
): Readonly<Partial<Record<K, unknown>>> {
  const object = asObject(value)
  if (object === null) throw invalidAt(path === '' ? 'body' : path, 'must be an object')
  const found: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(object)) {
    if (isAbsent(member)) continue
    const key = camel(name)
    if (!known.some((each) => each === key)) throw unsupportedAt(path === '' ? name : `${path}.${name}`)
    found[key] = member
  }
  return found as Readonly<Partial<Record<K, unknown>>>
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The list at a path; empty when it is absent. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  if (isAbsent(value)) return []
  if (Array.isArray(value)) return value
  throw invalidAt(path, 'must be an array')
}

export function textAt(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw invalidAt(path, 'must be a string')
}

export function objectAt(value: unknown, path: string): Fields {
  const object = asObject(value)
  if (object !== null) return object
  throw invalidAt(path, 'must be an object')
}

export function invalidAt(param: string, demand: string): ServiceError {
  return new ServiceError('invalid_request', `${param} ${demand}.`, { param })
}

export function unsupportedAt(param: string, reason = 'models have nothing like it here'): ServiceError {
  return new ServiceError('unsupported_parameter', `${param} is not supported: ${reason}.`, { param })
}
