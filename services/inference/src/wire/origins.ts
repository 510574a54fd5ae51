import { asObject } from '@ratchet/service-kit/values/json'

/** The paths in a request from which the objects of its translation were made, by object. */
export type Origins = Map<object, string>

/** A place in a request, and the map that records what it is translated to. */
export interface Place {
  /** A path such as `messages.0.content.1`. */
  readonly path: string
  readonly origins: Origins
}

/** Records that `made` is the translation of the place. */
export function madeOf<T extends object>({ path, origins }: Place, made: T): T {
  origins.set(made, path)
  return made
}

/** A place inside a place. */
export function within<P extends Place>(place: P, member: string | number): P {
  return { ...place, path: `${place.path}.${member}` }
}

/** A path in two parts: the origin of its innermost object with a known origin, and the path inside that object. */
export interface TracedPath {
  readonly origin: string
  readonly rest: string
}

/** Traces a path of a translation back to the request; null when no object on it has a recorded origin. */
export function tracePath(
  param: string,
  translation: unknown,
  origins: ReadonlyMap<object, string>,
): TracedPath | null {
  const steps = param.split('.')
  let traced: TracedPath | null = null
  let value = translation
  for (const [index, step] of steps.entries()) {
    value = memberOf(value, step)
    if (typeof value !== 'object' || value === null) break
    const origin = origins.get(value)
    if (origin !== undefined) traced = { origin, rest: steps.slice(index + 1).join('.') }
  }
  return traced
}

function memberOf(value: unknown, name: string): unknown {
  const members = Array.isArray(value) ? value : asObject(value)
  if (members === null || !Object.hasOwn(members, name)) return undefined
  return (members as Readonly<Record<string, unknown>>)[name]
}

/** Renames of paths or of their beginnings. The first one that matches is used. */
export type Renames = readonly (readonly [from: string, to: string])[]

/** The path with its beginning renamed. An empty name leaves only the rest of the path. */
export function renamePath(path: string, renames: Renames): string {
  const [from, to] = renames.find(([name]) => path === name || path.startsWith(`${name}.`)) ?? ['', '']
  const rest = path.slice(from.length).replace(/^\./, '')
  return joinPath(to, rest)
}

export function joinPath(left: string, right: string): string {
  return left === '' || right === '' ? left + right : `${left}.${right}`
}
