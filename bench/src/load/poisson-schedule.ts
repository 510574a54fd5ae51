/**
 * When the requests of an open loop are due: independent arrivals, so gaps are exponential.
 *
 * @param random numbers in [0, 1)
 * @returns milliseconds from the start, ascending, all below `seconds`
 */
export function poissonSchedule(
  { ratePerSecond, seconds }: { ratePerSecond: number; seconds: number },
  random: () => number,
): number[] {
  const due: number[] = []
  let atMs = 0
  for (;;) {
    atMs -= (Math.log(1 - random()) * 1_000) / ratePerSecond
    if (atMs >= seconds * 1_000) return due
    due.push(atMs)
  }
}
