import type { Endpoint } from '@ratchet/contracts/endpoint'

/** What is needed to find an endpoint. */
type Indexed = Pick<Endpoint, 'method' | 'path'>

export type Lookup<E extends Indexed = Endpoint> =
  | { readonly kind: 'found'; readonly endpoint: E }
  | { readonly kind: 'unknown-url' }
  /** The path exists with other methods; `allow` is the value of the header `Allow`. */
  | { readonly kind: 'other-method'; readonly allow: string }

export interface EndpointIndex<E extends Indexed = Endpoint> {
  find(method: string, path: string): Lookup<E>
}

interface Found<E> {
  readonly kind: 'found'
  readonly endpoint: E
}

interface PathEntry<E> {
  readonly segments: readonly string[]
  readonly byMethod: Map<string, Found<E>>
  readonly otherMethod: { kind: 'other-method'; allow: string }
}

const unknownUrl = { kind: 'unknown-url' } as const

/** Indexes endpoints by path. An endpoint with GET also answers HEAD. */
export function createEndpointIndex<E extends Indexed>(endpoints: readonly E[]): EndpointIndex<E> {
  const entries = new Map<string, PathEntry<E>>()
  for (const endpoint of endpoints) addEndpoint(entries, endpoint)
  const literals = new Map([...entries].filter(([pattern]) => !/[:*]/.test(pattern)))
  const patterns = [...entries.values()].filter(({ segments }) => segments.some(isParameter))
  return {
    find(method, path) {
      const entry = literals.get(path) ?? firstMatch(patterns, path)
      if (entry === undefined) return unknownUrl
      return entry.byMethod.get(method) ?? entry.otherMethod
    },
  }
}

function addEndpoint<E extends Indexed>(entries: Map<string, PathEntry<E>>, endpoint: E): void {
  const entry = entries.get(endpoint.path) ?? newEntry<E>(endpoint.path)
  entries.set(endpoint.path, entry)
  const found: Found<E> = { kind: 'found', endpoint }
  const method = endpoint.method.toUpperCase()
  entry.byMethod.set(method, found)
  if (method === 'GET') entry.byMethod.set('HEAD', found)
  entry.otherMethod.allow = [...entry.byMethod.keys()].join(', ')
}

function newEntry<E>(pattern: string): PathEntry<E> {
  return {
    segments: pattern.slice(1).split('/'),
    byMethod: new Map(),
    otherMethod: { kind: 'other-method', allow: '' },
  }
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':') || segment.startsWith('*')
}

function firstMatch<E>(patterns: readonly PathEntry<E>[], path: string): PathEntry<E> | undefined {
  const segments = path.slice(1).split('/')
  return patterns.find((entry) => matches(entry.segments, segments))
}

/** `:name` matches one segment, `*name` the rest of the path. Neither matches an empty segment. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  for (const [i, expected] of pattern.entries()) {
    const actual = segments[i]
    if (actual === undefined || actual === '') return false
    if (expected.startsWith('*')) return segments.at(-1) !== ''
    if (!expected.startsWith(':') && expected !== actual) return false
  }
  return pattern.length === segments.length
}
