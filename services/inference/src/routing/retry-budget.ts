/** Share of the calls in flight that may be retries, and the number that always may. */
const share = 0.2
const always = 3

/** Keeps retries from multiplying an outage: they may be a fifth of the traffic, and three in any case. */
export interface RetryBudget {
  /** Counts a call until the returned function is called. */
  enter(): () => void
  /** Takes a place for one retry, to be given back by the returned function; null when there is none. */
  tryRetry(): (() => void) | null
}

export function createRetryBudget(): RetryBudget {
  let calls = 0
  let retries = 0
  return {
    enter() {
      calls += 1
      return () => {
        calls -= 1
      }
    },
    tryRetry() {
      if (retries >= Math.max(always, calls * share)) return null
      retries += 1
      return () => {
        retries -= 1
      }
    },
  }
}
