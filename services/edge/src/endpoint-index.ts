import type { Endpoint } from '@ratchet/contracts/endpoint'
import { permissionKey, type Rule } from '@ratchet/contracts/permissions'
import { type Route, routeOf } from './routing-table.ts'

/** Everything the edge knows of one endpoint, resolved once at start. */
export interface Destination {
  /** The endpoint's pattern: its name in metrics. */
  readonly pattern: string
  readonly rule: Rule
  readonly route: Route
}

export type Lookup =
  | { readonly kind: 'found'; readonly destination: Destination }
  | { readonly kind: 'unknown-url' }
  /** The path exists with other methods: the value of `Allow`. */
  | { readonly kind: 'other-method'; readonly allow: string }

export interface EndpointIndex {
  find(method: string, path: string): Lookup
}

export interface EndpointTables {
  readonly endpoints: readonly Endpoint[]
  readonly permissions: ReadonlyMap<string, Rule>
  readonly routes: readonly Route[]
}

type Found = Extract<Lookup, { kind: 'found' }>

interface PathEntry {
  readonly segments: readonly string[]
  readonly byMethod: Map<string, Found>
  readonly otherMethod: { kind: 'other-method'; allow: string }
}

const unknownUrl: Lookup = { kind: 'unknown-url' }

/**
 * Indexes endpoints by path. GET answers HEAD as well.
 *
 * @throws Error for an endpoint without a permission row or without a route: nothing is open by omission.
 */
export function createEndpointIndex(tables: EndpointTables): EndpointIndex {
  const entries = new Map<string, PathEntry>()
  for (const endpoint of tables.endpoints) addEndpoint(entries, endpoint, tables)
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

function addEndpoint(entries: Map<string, PathEntry>, endpoint: Endpoint, tables: EndpointTables): void {
  const key = permissionKey(endpoint)
  const rule = tables.permissions.get(key)
  if (rule === undefined) throw new Error(`no permission row for ${key}`)
  const route = routeOf(tables.routes, literalPart(endpoint.path))
  if (route === null || route.service !== endpoint.service)
    throw new Error(`no route to ${endpoint.service} for ${key}`)
  const entry = entries.get(endpoint.path) ?? newEntry(endpoint.path)
  entries.set(endpoint.path, entry)
  const found: Found = { kind: 'found', destination: { pattern: endpoint.path, rule, route } }
  const method = endpoint.method.toUpperCase()
  entry.byMethod.set(method, found)
  if (method === 'GET') entry.byMethod.set('HEAD', found)
  entry.otherMethod.allow = [...entry.byMethod.keys()].join(', ')
}

function newEntry(pattern: string): PathEntry {
  return {
    segments: pattern.slice(1).split('/'),
    byMethod: new Map(),
    otherMethod: { kind: 'other-method', allow: '' },
  }
}

/** The path up to its first parameter. */
function literalPart(pattern: string): string {
  const segments = pattern.split('/')
  const end = segments.findIndex(isParameter)
  return end === -1 ? pattern : segments.slice(0, end).join('/')
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':') || segment.startsWith('*')
}

function firstMatch(patterns: readonly PathEntry[], path: string): PathEntry | undefined {
  const segments = path.slice(1).split('/')
  return patterns.find((entry) => matches(entry.segments, segments))
}

/** `:name` stands for one segment, `*name` for the rest of the path; neither for nothing. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  for (const [i, expected] of pattern.entries()) {
    const actual = segments[i]
    if (actual === undefined || actual === '') return false
    if (expected.startsWith('*')) return segments.at(-1) !== ''
    if (!expected.startsWith(':') && expected !== actual) return false
  }
  return pattern.length === segments.length
}
