/** More than any request can have. */
const countMax = 1_000_000_000

/** A count of a provider; null when it is not a whole number from 0 to 1,000,000,000. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= countMax ? value : null
}
