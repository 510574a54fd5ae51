import type { Brand } from '@ratchet/contracts/brand'
import { readSwitch } from '@ratchet/service-kit/http/read-switch'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** Decides whether an answer may be read from the cache and stored there, and for how long. */
export type CacheControl = { readonly kind: 'off' } | { readonly kind: 'on'; readonly ttlSeconds: number }

export interface CacheWish {
  /** The values of the request's headers; undefined for absent ones. */
  readonly cache: string | undefined
  readonly cacheTtl: string | undefined
  /** The default of the workspace, for requests without the header. */
  readonly byDefault: boolean
  readonly brand: Brand
}

const defaultTtlSeconds = 86_400
const maxTtlSeconds = 2_592_000

/**
 * The setting of the workspace, unless the request has a header. An answer is stored for a day by default. A lifetime
 * alone does not enable the cache.
 *
 * @throws ServiceError `invalid_request` naming the header that is neither on nor off, or not a number of 1 to
 *   2,592,000 seconds (30 days)
 */
export function readCacheControl({ cache, cacheTtl, byDefault, brand }: CacheWish): CacheControl {
  const { headers } = brand
  const isOn = readSwitch(cache, headers.cache) ?? byDefault
  const ttlSeconds = readSeconds(cacheTtl, headers.cacheTtl) ?? defaultTtlSeconds
  return isOn ? { kind: 'on', ttlSeconds } : { kind: 'off' }
}

function readSeconds(value: string | undefined, header: string): number | null {
  if (value === undefined) return null
  const seconds = /^\d{1,7}$/.test(value.trim()) ? Number(value) : Number.NaN
  if (seconds >= 1 && seconds <= maxTtlSeconds) return seconds
  throw new ServiceError('invalid_request', `${header} must be a whole number of seconds, 1 to ${maxTtlSeconds}.`, {
    param: header,
  })
}
