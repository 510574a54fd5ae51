import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../dialect.ts'
import { drop, type Leniency } from '../leniency.ts'
import { joinPath, type Place } from '../origins.ts'
import { unsupported } from '../refusal.ts'

/** A place in a request to a model that may support cache hints. */
export interface CachingPlace extends Place {
  readonly keepsHints: boolean
  readonly leniency?: Leniency | undefined
}

/**
 * True when a chat model reads `cache_control` on parts and tools. It does when its caches have a price of their own,
 * unless its provider accepts only the members of OpenAI. Other models cache on their own.
 */
export function keepsCacheHints({ strictMessages, rates }: CatalogModel): boolean {
  return !strictMessages && rates.cacheWrite !== rates.input
}

/**
 * The cache hint of a block, for its translation.
 *
 * @throws Refusal for a longer lifetime than the usual five minutes, which has another price, without leniency
 */
export function cacheHint({ cache_control: control }: Fields, { keepsHints, path, leniency }: CachingPlace): Fields {
  if (!keepsHints || control === undefined || control === null) return {}
  const { ttl, ...rest } = asObject(control) ?? {}
  if ((ttl ?? '5m') === '5m') return { cache_control: control }
  if (leniency === undefined) {
    throw unsupported(joinPath(path, 'cache_control.ttl'), 'only caches of 5m have a price')
  }
  drop(leniency, 'cache_control.ttl')
  return { cache_control: rest }
}

/**
 * A conversation with the cache hint of the whole request, which is placed after its last part.
 *
 * @throws Refusal as above
 */
export function hintAtEnd(messages: readonly Body[], body: Body, place: CachingPlace): readonly Body[] {
  const hint = cacheHint(body, place)
  const last = messages.at(-1)
  if (hint.cache_control === undefined || last === undefined) return messages
  const parts = partsOf(last.content)
  const [end, ...before] = parts.toReversed()
  if (end === undefined) return messages
  Object.assign(last, { content: [...before.toReversed(), { ...hint, ...end }] }) // changed in place, because the origins are keyed by the object
  return messages
}

function partsOf(content: unknown): readonly Fields[] {
  if (Array.isArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}
