import { asObject, type Fields } from '../../wire/chat/chat-chunk.ts'
import { unsupported } from '../../wire/refusal.ts'
import type { CachePoint } from './converse-body.ts'

/** Where a part of a request stands, and whether its model caches what it is told to. */
export interface Place {
  /** As in `messages.0.content`. */
  readonly path: string
  readonly caches: boolean
}

const families = /(^|[./])anthropic\./

/** Whether the model takes cache points at any place; for the others, `cache_control` is a hint that changes nothing. */
export function takesCachePoints(modelId: string): boolean {
  return families.test(modelId)
}

/**
 * The cache point that a part with Anthropic's `cache_control` asks for after itself.
 *
 * @throws Refusal for a longer life than the usual five minutes, which has another price
 */
export function cachePointAfter({ cache_control: control }: Fields, { path, caches }: Place): CachePoint[] {
  if (!caches || control === undefined || control === null) return []
  const { type, ttl } = asObject(control) ?? {}
  if (type !== 'ephemeral') throw unsupported(`${path}.cache_control.type`, 'it must be ephemeral')
  if (ttl !== undefined && ttl !== null && ttl !== '5m') throw unsupported(`${path}.cache_control.ttl`, 'it must be 5m')
  return [{ cachePoint: { type: 'default' } }]
}
