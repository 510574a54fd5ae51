import type { Request } from 'express'
import { type CacheControl, readCacheControl } from '../response-cache/cache-control.ts'
import { cacheKey } from '../response-cache/cache-key.ts'
import type { ResponseCache } from '../response-cache/response-cache.ts'
import type { CompletionHook } from './completion-hooks.ts'
import { type AnswerDeps, unixSeconds } from './exchange.ts'
import type { Candidates, PlannedRequest } from './plan-candidates.ts'
import type { Replay } from './replay-answer.ts'

export interface CacheDeps extends Pick<AnswerDeps, 'brand' | 'now'> {
  readonly cache: ResponseCache
}

export interface CacheQuestion {
  readonly planned: PlannedRequest
  readonly candidates: Candidates
  readonly request: Request
}

/** The cache as one request uses it. */
export interface RequestCache {
  /** A kept answer to the same request, ready to be given again for nothing; null when there is none. */
  find(): Promise<Replay | null>
  /** Keeps the answer of the model that was asked for; what a fallback said in its place is not kept. */
  readonly completionHook: CompletionHook
}

/**
 * Null when the request is not to be answered from the cache.
 *
 * @throws ServiceError naming the header that cannot be understood
 */
export function requestCache(deps: CacheDeps, question: CacheQuestion): RequestCache | null {
  const control = cacheControl(deps, question)
  if (control.kind === 'off') return null
  const { planned, candidates } = question
  const { surface, workspaceId, bytes, scan, hints } = planned
  const { model } = candidates[0].request
  const key = cacheKey({ workspaceId, dialect: surface.dialect, modelId: model.id, bytes, scan, hints })
  return {
    find: async () => {
      const found = await deps.cache.get(key)
      return found === null ? null : hit(deps, question, { bytes: found.body, servedModel: found.servedModel })
    },
    completionHook: {
      async afterCharge({ bytes: body, served, fromCache }) {
        if (!fromCache && served.model.id === model.id)
          deps.cache.put(key, { servedModel: served.model.id, body }, control.ttlSeconds)
      },
    },
  }
}

function cacheControl({ brand }: CacheDeps, { planned, request }: CacheQuestion): CacheControl {
  return readCacheControl({
    cache: request.get(brand.headers.cache),
    cacheTtl: request.get(brand.headers.cacheTtl),
    byDefault: planned.settings.responseCache,
    brand,
  })
}

function hit(
  deps: CacheDeps,
  { planned }: CacheQuestion,
  { bytes, servedModel }: { readonly bytes: Buffer; readonly servedModel: string },
): Replay {
  const { brand } = deps
  const { surface, facts } = planned
  return {
    surface,
    bytes,
    chargedNano: 0n,
    context: { facts, created: unixSeconds(deps.now()) },
    headers: { [brand.headers.servedModel]: servedModel, [brand.headers.cache]: 'hit' },
    costHeader: brand.headers.costUsd,
  }
}
