import { asObject } from './chat/chat-chunk.ts'

/** Of which part of a request the objects of its translation were made: paths in the request, by object. */
export type Origins = Map<object, string>

/** A place in a request, and where to note what is made of it. */
export interface Place {
  /** As in `messages.0.content.1`. */
  readonly path: string
  readonly origins: Origins
}

/** Notes that `made` is what the place was translated to. */
export function madeOf<T extends object>({ path, origins }: Place, made: T): T {
  origins.set(made, path)
  return made
}

/** A place within a place. */
export function within<P extends Place>(place: P, member: string | number): P {
  return { ...place, path: `${place.path}.${member}` }
}

/** A path cut in two: where its innermost object with a known origin came from, and the path within that object. */
export interface TracedPath {
  readonly origin: string
  readonly rest: string
}

/** Follows a path through a translation; null when nothing on it was noted. */
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

/** Names for paths, the first that fits wins: of the path itself, or of the beginning of it. */
export type Renames = readonly (readonly [from: string, to: string])[]

/** The path with its beginning renamed; a name that stays empty leaves only what follows. */
export function renamePath(path: string, renames: Renames): string {
  const [from, to] = renames.find(([name]) => path === name || path.startsWith(`${name}.`)) ?? ['', '']
  const rest = path.slice(from.length).replace(/^\./, '')
  return joinPath(to, rest)
}

export function joinPath(left: string, right: string): string {
  return left === '' || right === '' ? left + right : `${left}.${right}`
}
