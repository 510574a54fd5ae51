import type { BenchOptions } from './options.ts'

/**
 * Duration and load of each step. There are many short rounds instead of few long ones, because a shared machine changes
 * its speed from minute to minute, and targets are comparable only when they are measured at the same time.
 */
export interface Plan {
  /** Requests of each kind before the measurement. V8 compiles code after some work, not after some time. */
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
