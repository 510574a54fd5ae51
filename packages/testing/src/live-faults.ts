/** What a proxied network does wrong at the moment. */
export interface Faults {
  /** Nothing moves: connections open and stay open, bytes and closes wait. */
  readonly frozen: boolean
  /** Milliseconds every byte travels, each way. */
  readonly delayMs: number
  /** Bytes per write, at most. */
  readonly sliceBytes: number
  readonly bytesPerSecond: number
  /** Ends a connection once that many more bytes of answer went through it. */
  readonly cut: { readonly afterBytes: number; readonly how: 'end' | 'reset' } | null
}

export const noFaults: Faults = {
  frozen: false,
  delayMs: 0,
  sliceBytes: Number.POSITIVE_INFINITY,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  cut: null,
}

/** Faults that change while connections are open; whoever waits because of one hears of the change. */
export interface LiveFaults {
  readonly current: Faults
  set(faults: Faults): void
  /** Resolves at the next change, or after `ms` when given. */
  wait(ms?: number): Promise<void>
}

export function liveFaults(): LiveFaults {
  let current = noFaults
  const waiting = new Set<() => void>()
  return {
    get current() {
      return current
    },
    set(faults) {
      current = faults
      for (const wake of [...waiting]) wake()
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(wake, ms)
        function wake() {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve()
        }
        waiting.add(wake)
      }),
  }
}
