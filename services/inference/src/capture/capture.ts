import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'

/** Copies exchanges to the log. It never delays or fails a request. */
export interface Capture {
  /** Returns at once. The exchange is delivered at least once, or counted as dropped. */
  add(exchange: CapturedExchange): void
  /** Counts an exchange that is too large for the log. */
  skipTooLarge(): void
  /** Resolves when everything was delivered, or dropped after a time limit. */
  stop(): Promise<void>
}

/** The transports to the log: its stream in Redis, and the logging service itself. */
export type CaptureTransport = 'stream' | 'direct'

export type CaptureEvent =
  | { readonly kind: 'delivered'; readonly transport: CaptureTransport; readonly count: number }
  | { readonly kind: 'unavailable'; readonly transport: CaptureTransport; readonly cause: unknown }
  | { readonly kind: 'recovered'; readonly transport: CaptureTransport }
  /**
   * Exchanges were lost: `full` when too many already waited, `stopped` when they could not be delivered before the
   * process ended.
   */
  | { readonly kind: 'dropped'; readonly reason: 'full' | 'stopped'; readonly count: number }
  | { readonly kind: 'too_large' }
