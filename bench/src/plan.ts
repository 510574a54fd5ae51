import type { BenchOptions } from './options.ts'

/**
 * How long and how hard each step loads a target. Many short rounds rather than few long ones: a shared machine changes
 * its speed from minute to minute, and targets compare only when they were measured side by side.
 */
export interface Plan {
  /** Requests of each kind before anything is measured: V8 compiles by work, not by time. */
  readonly warmUp: { readonly chat: number; readonly prompt64k: number; readonly stream: number }
  /** Seconds per target and round. */
  readonly seconds: {
    readonly chat: number
    readonly prompt64k: number
    readonly stream: number
    readonly latency: number
    readonly ttfb: number
  }
}

/** Requests at a time in the closed loops. */
export const connections = { chat: 32, prompt64k: 16, stream: 16 } as const

/** Streams per second to each side of the open loop that times first bytes. */
export const streamsPerSecond = 20

export function planOf({ quick }: Pick<BenchOptions, 'quick'>): Plan {
  return quick
    ? {
        warmUp: { chat: 4_000, prompt64k: 200, stream: 60 },
        seconds: { chat: 2, prompt64k: 1, stream: 2, latency: 3, ttfb: 3 },
      }
    : {
        warmUp: { chat: 20_000, prompt64k: 1_000, stream: 300 },
        seconds: { chat: 3, prompt64k: 2, stream: 4, latency: 6, ttfb: 6 },
      }
}
