import { bootstrapInterval } from './bootstrap-interval.ts'
import { type CostPair, costSavings } from './cost-savings.ts'
import type { Interval } from './interval.ts'

/**
 * 95 % interval of the savings of `costSavings`, by a bootstrap over prompts that keeps each prompt's two costs together.
 *
 * @param pairs costs ≥ 0, one pair a prompt
 * @param options.random uniform in [0, 1), seeded from the eval, so that a report never changes
 * @returns null with fewer than 2 prompts or when the baseline costs nothing
 * @throws RangeError when a cost is negative
 * @see Efron 1987, doi:10.1080/01621459.1987.10478410
 */
export function savingsInterval(
  pairs: readonly CostPair[],
  options: { readonly random: () => number; readonly resamples?: number; readonly confidence?: number },
): Interval | null {
  if (costSavings(pairs) === null) return null
  return bootstrapInterval({ ...options, rows: pairs.length, statistic: (rows) => savingsOf(pairs, rows) })
}

function savingsOf(pairs: readonly CostPair[], rows: ArrayLike<number>): number | null {
  let baseline = 0
  let candidate = 0
  for (let place = 0; place < rows.length; place += 1) {
    const pair = pairs[rows[place] ?? 0]
    baseline += pair?.baseline ?? 0
    candidate += pair?.candidate ?? 0
  }
  return baseline === 0 ? null : 1 - candidate / baseline
}
