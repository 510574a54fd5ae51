import { isExactNumber } from '@ratchet/service-kit/values/exact-json'
import { asObject, isObject } from '@ratchet/service-kit/values/json'

/** Members that contain JSON of the client, in which `cache_control` has no meaning. */
const opaque: ReadonlySet<string> = new Set(['input', 'input_schema', 'input_examples', 'schema', 'properties'])

interface Place {
  readonly value: unknown
  readonly path: string
}

/** The path of the first `cache_control.ttl` other than the usual five minutes; null when there is none. */
export function longCachePath(body: object): string | null {
  const places: Place[] = [{ value: body, path: '' }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const path = place.path === '' ? '' : `${place.path}.`
    if (isLong(asObject(place.value)?.cache_control)) return `${path}cache_control.ttl`
    for (const inner of inside(place)) places.push(inner)
  }
  return null
}

/** A copy in which all caches have the usual lifetime. */
export function withoutLongCaches(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLongCaches)
  if (!isObject(value) || isExactNumber(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (key === 'cache_control' && isLong(child)) return [key, { ...asObject(child), ttl: '5m' }]
      return [key, opaque.has(key) ? child : withoutLongCaches(child)]
    }),
  )
}

function isLong(control: unknown): boolean {
  return (asObject(control)?.ttl ?? '5m') !== '5m'
}

function inside({ value, path }: Place): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .filter(([key, child]) => typeof child === 'object' && child !== null && !opaque.has(key))
    .map(([key, child]) => ({ value: child, path: path === '' ? key : `${path}.${key}` }))
}
