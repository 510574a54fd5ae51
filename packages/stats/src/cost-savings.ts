import { requireAmount } from './require-arguments.ts'

/** The costs of one prompt with two models, in the same unit. */
export interface CostPair {
  readonly baseline: number
  readonly candidate: number
}

export interface CostSavings {
  /** 1 − Σ candidate / Σ baseline; at most 1, below 0 when the candidate costs more. */
  readonly savings: number
  /** By the delta method for a ratio of sums; prompts are the units. */
  readonly standardError: number
}

/**
 * The savings when the candidate replaces the baseline on the same prompts. It is a ratio of sums, because in a mean of
 * ratios cheap prompts would count as much as expensive ones.
 *
 * @param pairs costs ≥ 0
 * @returns null when the baseline costs nothing
 * @throws RangeError when a cost is negative
 * @see Cochran 1977, Sampling Techniques, 2.11
 */
export function costSavings(pairs: readonly CostPair[]): CostSavings | null {
  pairs.forEach(({ baseline, candidate }, index) => {
    requireAmount(`pairs[${index}].baseline`, baseline)
    requireAmount(`pairs[${index}].candidate`, candidate)
  })
  const baseline = pairs.reduce((sum, pair) => sum + pair.baseline, 0)
  const candidate = pairs.reduce((sum, pair) => sum + pair.candidate, 0)
  if (baseline === 0) return null
  const ratio = candidate / baseline
  const squares = pairs.reduce((sum, pair) => sum + (pair.candidate - ratio * pair.baseline) ** 2, 0)
  return { savings: 1 - ratio, standardError: deltaError({ squares, pairs: pairs.length, baseline }) }
}

function deltaError({ squares, pairs, baseline }: { squares: number; pairs: number; baseline: number }): number {
  return pairs < 2 ? 0 : Math.sqrt((squares * pairs) / (pairs - 1)) / baseline
}
