/** An answer as it is kept. */
export interface CachedAnswer {
  /** The catalog id of the model that gave it, which may be a fallback. */
  readonly servedModel: string
  /** The whole answer in the surface's dialect, unstreamed. */
  readonly body: Buffer
}

/** Answers to requests that were asked before. Losing it costs time and money, never correctness. */
export interface ResponseCache {
  /** Null when there is none, or when it cannot be told in time. Never rejects, and never takes longer than 0.15 s. */
  get(key: string): Promise<CachedAnswer | null>
  /** Returns at once; whether it was kept, nobody learns. A body of more than 1 MiB is not. */
  put(key: string, answer: CachedAnswer, ttlSeconds: number): void
}

/** What the cache tells its operators. Each kind is a counter. */
export type ResponseCacheEvent =
  /** The store does not answer: nothing is found, nothing is kept. */
  | { readonly kind: 'away'; readonly cause: unknown }
  | { readonly kind: 'back' }
  /** An answer was not kept: it is too large, or too much is on its way already. */
  | { readonly kind: 'dropped'; readonly reason: 'too_large' | 'too_many' }
  /** What was kept cannot be read, because another version wrote it or it is damaged. */
  | { readonly kind: 'unreadable' }

/** Bytes of the largest body that is kept. */
export const largestCachedBody = 1_048_576
