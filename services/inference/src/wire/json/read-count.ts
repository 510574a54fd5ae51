/** More than any request can have. */
const countMax = 1_000_000_000

/** A provider's count of something, or null for what cannot be one: not a whole number from 0 to a thousand million. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= countMax ? value : null
}
