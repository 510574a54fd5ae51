/** The request a load is made of. */
export interface LoadRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** As many requests at a time as there are connections, each followed by the next. */
export interface ClosedLoopJob {
  readonly request: LoadRequest
  readonly connections: number
  /** It ends after this many requests… */
  readonly requests?: number
  /** …or starts no more after this time. Every request that was started is waited for. */
  readonly seconds?: number
}

export interface ClosedLoopResult {
  readonly requests: number
  readonly failures: number
  readonly perSecond: number
}

/** Requests at their own times, whether earlier ones were answered or not, to several targets in one window. */
export interface OpenLoopJob {
  readonly lanes: readonly LoadRequest[]
  /** Of each lane. */
  readonly ratePerSecond: number
  readonly seconds: number
  readonly seed: number
}

export interface LaneResult {
  readonly failures: number
  /** Milliseconds from when each request was due to the end of its answer. */
  readonly latencyMs: readonly number[]
  /** Milliseconds from when each request was due to the first byte of its answer's body. */
  readonly firstByteMs: readonly number[]
}
