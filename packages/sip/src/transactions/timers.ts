/** Milliseconds, of RFC 3261, table 4. */
export const t1Ms = 500
export const t2Ms = 4_000
export const t4Ms = 5_000
/** How long an answer is waited for. */
export const giveUpMs = 64 * t1Ms

/** Sends again after T1, then after twice the time each. @returns a function that ends it */
export function repeat(
  schedule: (callback: () => void, delayMs: number) => () => void,
  send: () => void,
  maxDelayMs: number,
): () => void {
  let delayMs = t1Ms
  const again = () => {
    send()
    delayMs = Math.min(2 * delayMs, maxDelayMs)
    cancel = schedule(again, delayMs)
  }
  let cancel = schedule(again, delayMs)
  return () => cancel()
}
