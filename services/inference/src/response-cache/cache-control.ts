import type { Brand } from '@ratchet/contracts/brand'
import { ServiceError } from '@ratchet/service-kit/service-error'

/** Whether an answer may come from the cache and be kept there, and for how long. */
export type CacheControl = { readonly kind: 'off' } | { readonly kind: 'on'; readonly ttlSeconds: number }

export interface CacheWish {
  /** The values of the request's headers, undefined where it has none. */
  readonly cache: string | undefined
  readonly cacheTtl: string | undefined
  /** Whether the workspace caches when a request does not say. */
  readonly byDefault: boolean
  readonly brand: Brand
}

const defaultTtlSeconds = 86_400
const longestTtlSeconds = 2_592_000

/**
 * What the workspace set, unless the request says otherwise. An answer is kept for a day where nothing is said; a
 * time alone does not switch the cache on.
 *
 * @throws ServiceError `invalid_request` naming the header that says neither on nor off, or no number of 1 to
 *   2,592,000 seconds (30 days)
 */
export function readCacheControl({ cache, cacheTtl, byDefault, brand }: CacheWish): CacheControl {
  const { headers } = brand
  const isOn = readSwitch(cache, headers.cache) ?? byDefault
  const ttlSeconds = readSeconds(cacheTtl, headers.cacheTtl) ?? defaultTtlSeconds
  return isOn ? { kind: 'on', ttlSeconds } : { kind: 'off' }
}

function readSwitch(value: string | undefined, header: string): boolean | null {
  const word = value?.trim().toLowerCase()
  if (word === undefined) return null
  if (word === 'on') return true
  if (word === 'off') return false
  throw new ServiceError('invalid_request', `${header} must be on or off.`, { param: header })
}

function readSeconds(value: string | undefined, header: string): number | null {
  if (value === undefined) return null
  const seconds = /^\d{1,7}$/.test(value.trim()) ? Number(value) : Number.NaN
  if (seconds >= 1 && seconds <= longestTtlSeconds) return seconds
  throw new ServiceError('invalid_request', `${header} must be a whole number of seconds, 1 to ${longestTtlSeconds}.`, {
    param: header,
  })
}
