/** What a mirror of an alias answered in the last thirty days. */
export interface ShadowCounts {
  readonly model: string
  /** Requests that it was to answer. */
  readonly mirrored: number
  readonly answered: number
  /** Those that it did not. */
  readonly errors: number
  readonly scored: number
  readonly fails: number
  /** Sum over its answers. */
  readonly latencyMs: number
  /** Sum over its answers. */
  readonly costUsd: number
}
