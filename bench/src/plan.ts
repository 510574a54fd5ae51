import type { BenchOptions, StepId } from './options.ts'

/**
 * Duration and load of each step. There are many short rounds instead of few long ones, because a shared machine changes
 * its speed from minute to minute, and targets are comparable only when they are measured at the same time.
 */
export interface Plan {
  /** Requests of each kind before the measurement. V8 compiles code after some work, not after some time. */
  readonly warmUp: Readonly<Record<LoadKind, number>>
  /** Seconds per target and round. */
  readonly seconds: Readonly<Record<Exclude<StepId, 'idle'>, number>>
  /**
   * Seconds without requests before memory is read after the start, seconds without requests before idle figures are read,
   * and seconds of their window.
   */
  readonly idle: { readonly freshSeconds: number; readonly restSeconds: number; readonly seconds: number }
}

/** Requests at a time in the closed loops. */
export const connections = { chat: 64, prompt64k: 16, secrets64k: 16, stream: 16 } as const

/** A kind of request. */
export type LoadKind = keyof typeof connections

/** Streams per second to each side of the open loop that times first bytes. */
export const streamsPerSecond = 20

export function planOf({ quick }: Pick<BenchOptions, 'quick'>): Plan {
  return quick
    ? {
        warmUp: { chat: 4_000, prompt64k: 200, secrets64k: 100, stream: 60 },
        seconds: { chat: 2, prompt64k: 1, secrets64k: 1, stream: 2, latency: 3, ttfb: 3 },
        idle: { freshSeconds: 4, restSeconds: 4, seconds: 5 },
      }
    : {
        warmUp: { chat: 20_000, prompt64k: 1_000, secrets64k: 500, stream: 300 },
        seconds: { chat: 3, prompt64k: 2, secrets64k: 2, stream: 4, latency: 6, ttfb: 6 },
        // Workers search for work often during the minute after the last.
        idle: { freshSeconds: 10, restSeconds: 75, seconds: 30 },
      }
}
