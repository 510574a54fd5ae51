import type { CatalogModel } from '../../catalog/catalog.ts'
import { asObject, type Fields } from '../chat/chat-chunk.ts'
import type { Body } from '../dialect.ts'
import { joinPath, type Place } from '../origins.ts'
import { unsupported } from '../refusal.ts'

/** A place in a request to a model that may cache what it is told to. */
export interface CachingPlace extends Place {
  readonly keepsHints: boolean
}

/**
 * Whether a chat model is told what to cache by the `cache_control` of parts and tools: one whose caches have a price
 * of their own, unless its provider knows no members but OpenAI's. The others cache as they see fit.
 */
export function keepsCacheHints({ strictMessages, rates }: CatalogModel): boolean {
  return !strictMessages && rates.cacheWrite !== rates.input
}

/**
 * The hint of a block, for what is made of it.
 *
 * @throws Refusal for a longer life than the usual five minutes, which has another price
 */
export function cacheHint({ cache_control: control }: Fields, { keepsHints, path }: CachingPlace): Fields {
  if (!keepsHints || control === undefined || control === null) return {}
  const ttl = asObject(control)?.ttl ?? '5m'
  if (ttl !== '5m') throw unsupported(joinPath(path, 'cache_control.ttl'), 'only caches of 5m have a price')
  return { cache_control: control }
}

/** A conversation with the hint of the whole request, which is one after its last part. @throws Refusal as above */
export function hintAtEnd(messages: readonly Body[], body: Body, place: CachingPlace): readonly Body[] {
  const hint = cacheHint(body, place)
  const last = messages.at(-1)
  if (hint.cache_control === undefined || last === undefined) return messages
  const parts = partsOf(last.content)
  const [end, ...before] = parts.toReversed()
  if (end === undefined) return messages
  Object.assign(last, { content: [...before.toReversed(), { ...hint, ...end }] }) // its origin is known by what it is
  return messages
}

function partsOf(content: unknown): readonly Fields[] {
  if (Array.isArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}
