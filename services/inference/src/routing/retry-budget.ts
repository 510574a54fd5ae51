/** The share of the calls in flight that may be retries, and the number that is always allowed. */
const share = 0.2
const always = 3

/** Keeps retries from multiplying an outage: they may be a fifth of the traffic, or three. */
export interface RetryBudget {
  /** Counts a call until the returned function is called. */
  enter(): () => void
  /** Reserves one retry until the returned function is called; null when there is none. */
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
