/** The request that a load repeats. */
export interface LoadRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Each connection sends one request after the other. */
export interface ClosedLoopJob {
  readonly request: LoadRequest
  readonly connections: number
  /** The load ends after this many requests. */
  readonly requests?: number
  /** No request starts after this time. All that started are waited for. */
  readonly seconds?: number
}

export interface ClosedLoopResult {
  readonly requests: number
  readonly failures: number
  readonly perSecond: number
}

/** Requests to several targets in one window, at scheduled times, independent of answers to earlier requests. */
export interface OpenLoopJob {
  readonly lanes: readonly LoadRequest[]
  /** Requests per second of each lane. */
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
