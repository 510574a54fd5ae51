import { requireEach, requirePositive } from './require-arguments.ts'

/**
 * The number of equally weighted rows with as much information as these: (Σw)²/Σw².
 *
 * @param weights each > 0, in any unit; for a sampled row 1 / probability
 * @returns 0 without rows, at most their number
 * @throws RangeError when a weight is not positive
 * @see Kish 1965, Survey Sampling
 * @example effectiveSampleSize([1, 1, 2]) // 2.67
 */
export function effectiveSampleSize(weights: readonly number[]): number {
  requireEach('weights', weights, requirePositive)
  if (weights.length === 0) return 0
  // Relative to the largest, so that squares of extreme weights neither overflow nor vanish.
  const largest = weights.reduce((most, weight) => Math.max(most, weight), 0)
  const sum = weights.reduce((total, weight) => total + weight / largest, 0)
  const squares = weights.reduce((total, weight) => total + (weight / largest) ** 2, 0)
  return Math.min(weights.length, sum ** 2 / squares)
}
