import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { unsupported } from '../../wire/refusal.ts'
import type { CachePoint } from './converse-body.ts'

/** The path of a part in a request, and whether its model supports cache points. */
export interface Place {
  /** A path such as `messages.0.content`. */
  readonly path: string
  readonly caches: boolean
}

const families = /(^|[./])anthropic\./

/** True when the model accepts cache points anywhere. For other models `cache_control` is a hint without effect. */
export function takesCachePoints(modelId: string): boolean {
  return families.test(modelId)
}

/**
 * The cache point that follows a part with Anthropic's `cache_control`.
 *
 * @throws Refusal for a longer lifetime than the usual five minutes, which has another price
 */
export function cachePointAfter({ cache_control: control }: Fields, { path, caches }: Place): CachePoint[] {
  if (!caches || control === undefined || control === null) return []
  const { type, ttl } = asObject(control) ?? {}
  if (type !== 'ephemeral') throw unsupported(`${path}.cache_control.type`, 'it must be ephemeral')
  if (ttl !== undefined && ttl !== null && ttl !== '5m') throw unsupported(`${path}.cache_control.ttl`, 'it must be 5m')
  return [{ cachePoint: { type: 'default' } }]
}
