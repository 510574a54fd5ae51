import { mebibyte } from '@ratchet/contracts/byte-sizes'
/** An answer as it is stored in the cache. */
export interface CachedAnswer {
  /** The catalog id of the model that answered, which may be a fallback. */
  readonly servedModel: string
  /** What was left out of the request, as the header of the answer names it; empty when nothing was. */
  readonly dropped: string
  /** The complete answer in the dialect of the surface, in its unstreamed form. */
  readonly body: Buffer
}

/** Answers to earlier requests. Losing the cache costs time and money, never correctness. */
export interface ResponseCache {
  /** Null when there is no answer, or none arrives in time. Never rejects, and never takes longer than 0.15 s. */
  get(key: string): Promise<CachedAnswer | null>
  /** Returns at once without a result. A body of more than 1 MiB is not stored. */
  put(key: string, answer: CachedAnswer, ttlSeconds: number): void
}

/** Events of the cache for operators. Each kind is a counter. */
export type ResponseCacheEvent =
  /** The store does not answer. No answer is found or stored. */
  | { readonly kind: 'unavailable'; readonly cause: unknown }
  | { readonly kind: 'recovered' }
  /** An answer was not stored: it is too large, or too much is on its way already. */
  | { readonly kind: 'dropped'; readonly reason: 'too_large' | 'too_many' }
  /** An entry cannot be read, because another version wrote it or it is damaged. */
  | { readonly kind: 'unreadable' }

/** Maximum bytes of a body that is stored. */
export const maxCachedBodyBytes = mebibyte
