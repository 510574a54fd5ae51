import { type CacheControl, readCacheControl } from '../response-cache/cache-control.ts'
import { cacheKey } from '../response-cache/cache-key.ts'
import type { CachedAnswer, ResponseCache } from '../response-cache/response-cache.ts'
import { droppedNames } from '../wire/leniency.ts'
import { type AnswerDeps, unixSeconds } from './answer-deps.ts'
import type { CompletionHook } from './completion-hooks.ts'
import { rawHeaderOf } from './header-of.ts'
import type { Replay } from './replay-answer.ts'
import type { PlannedRequest } from './request-records.ts'

export interface CacheDeps extends Pick<AnswerDeps, 'brand' | 'now'> {
  readonly cache: ResponseCache
}

/** The response cache as one request uses it. */
export interface RequestCache {
  /** The cached answer to an equal request, ready to be replayed without a charge; null when there is none. */
  find(): Promise<Replay | null>
  /** Stores the answer of the first candidate. The answer of a fallback is not stored. */
  readonly completionHook: CompletionHook
}

/**
 * Null when the response cache must not answer the request.
 *
 * @throws ServiceError naming the header that has no valid value
 */
export function requestCache(deps: CacheDeps, planned: PlannedRequest): RequestCache | null {
  const control = cacheControl(deps, planned)
  if (control.kind === 'off') return null
  const { surface, identity, candidates } = planned
  const { model, leniency } = candidates[0].request
  const { id: modelId } = model
  const { workspaceId } = identity
  const key = cacheKey({ ...planned, workspaceId, dialect: surface.dialect, modelId })
  return {
    find: async () => {
      const found = await deps.cache.get(key)
      return found === null ? null : replayOf(deps, planned, found)
    },
    completionHook: {
      async afterCharge({ bytes: body, servedModel, fromCache }) {
        if (fromCache || servedModel !== modelId) return
        // The adapter adds to the names while it calls the provider, so they are read last.
        const dropped = droppedNames(leniency)
        deps.cache.put(key, { servedModel, dropped, body }, control.ttlSeconds)
      },
    },
  }
}

function cacheControl({ brand }: CacheDeps, { httpRequest, settings }: PlannedRequest): CacheControl {
  return readCacheControl({
    cache: rawHeaderOf(httpRequest, brand.headers.cache),
    cacheTtl: rawHeaderOf(httpRequest, brand.headers.cacheTtl),
    byDefault: settings.responseCache,
    brand,
  })
}

function replayOf(
  { brand, now }: CacheDeps,
  { surface, facts, conversationId }: PlannedRequest,
  { body, servedModel, dropped }: CachedAnswer,
): Replay {
  return {
    surface,
    bytes: body,
    chargedNano: 0n,
    conversationId,
    context: { facts, created: unixSeconds(now()) },
    headers: {
      [brand.headers.servedModel]: servedModel,
      [brand.headers.cache]: 'hit',
      ...(dropped === '' ? {} : { [brand.headers.dropped]: dropped }),
    },
    costHeader: brand.headers.costUsd,
  }
}
