import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'

/** Hands exchanges over to the log. Nothing about it makes a request wait, or fail. */
export interface Capture {
  /** Returns at once; the exchange is delivered at least once, or counted as dropped. */
  add(exchange: CapturedExchange): void
  /** Counts one that is larger than anything that is logged. */
  skipTooLarge(): void
  /** Resolves when everything was handed over, or given up after a while. */
  stop(): Promise<void>
}

/** The ways to the log: its stream in Redis, and the logging service itself. */
export type CaptureWay = 'stream' | 'direct'

export type CaptureEvent =
  | { readonly kind: 'delivered'; readonly way: CaptureWay; readonly count: number }
  | { readonly kind: 'away'; readonly way: CaptureWay; readonly cause: unknown }
  | { readonly kind: 'back'; readonly way: CaptureWay }
  /** Lost: `full` when too much already waited, `stopped` when nobody took it before the process ended. */
  | { readonly kind: 'dropped'; readonly reason: 'full' | 'stopped'; readonly count: number }
  | { readonly kind: 'too_large' }
