/** Failures after which a judgement is given up. */
export const mostFailures = 5

/** How long to wait before the next attempt, milliseconds: doubling from two seconds, at most two minutes. */
export function retryDelayMs(failures: number): number {
  return Math.min(2_000 * 2 ** Math.max(0, failures - 1), 120_000)
}
