/** The current faults of a proxied network. */
export interface Faults {
  /** Nothing moves: connections open and stay open, bytes and closes wait. */
  readonly frozen: boolean
  /** Milliseconds of delay for every byte in each direction. */
  readonly delayMs: number
  /** Maximum bytes per write. */
  readonly sliceBytes: number
  readonly bytesPerSecond: number
  /** Ends a connection after this many further bytes of answer. */
  readonly cut: { readonly afterBytes: number; readonly how: 'end' | 'reset' } | null
}

export const noFaults: Faults = {
  frozen: false,
  delayMs: 0,
  sliceBytes: Number.POSITIVE_INFINITY,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  cut: null,
}

/** Faults that change while connections are open. Flows that wait because of one are notified of the change. */
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
