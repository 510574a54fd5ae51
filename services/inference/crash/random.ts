/** A number between two bounds. */
export function between(random: () => number, low: number, high: number): number {
  return low + random() * (high - low)
}
