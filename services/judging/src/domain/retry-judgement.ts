/** Attempts after which a judgement is given up. */
export const mostAttempts = 5

/** How long to wait before the next attempt, milliseconds: doubling from two seconds, at most two minutes. */
export function retryDelayMs(attempts: number): number {
  return Math.min(2_000 * 2 ** Math.max(0, attempts - 1), 120_000)
}
