import { logBeta } from './special/log-beta.ts'
import { requireTwoProportions } from './two-proportions.ts'

/** Trials, and how many of them had the outcome whose rate is compared. */
export interface Share {
  readonly hits: number
  readonly trials: number
}

/**
 * Tests whether a rate is higher after a time than before: Fisher's exact test, one-sided. Exact for any counts, because it
 * depends only on how the hits are divided. For repeated looks divide the probability of a false alarm by their number.
 *
 * @returns `rise` is the rate after minus the rate before, -1..1; `p` is the probability of so many hits after, or more, if
 *   the rate is the same, 0..1; null when a side has no trials
 * @throws RangeError when the counts are impossible
 * @see Fisher 1935; SciPy's fisher_exact with `alternative='greater'`
 * @example rateRise({ before: { hits: 1, trials: 10 }, after: { hits: 6, trials: 10 } }) // rise 0.5, p 0.029
 */
export function rateRise(shares: {
  readonly before: Share
  readonly after: Share
}): { readonly rise: number; readonly p: number } | null {
  const { before, after } = shares
  requireTwoProportions({
    successes1: after.hits,
    trials1: after.trials,
    successes2: before.hits,
    trials2: before.trials,
  })
  if (before.trials === 0 || after.trials === 0) return null
  return { rise: after.hits / after.trials - before.hits / before.trials, p: upperTail(before, after) }
}

/** The tail of the hypergeometric distribution. Terms below this share of the sum do not change it. */
const negligible = 1e-17

function upperTail(before: Share, after: Share): number {
  const hits = before.hits + after.hits
  // The shorter tail is summed, so that the terms become smaller from the first on.
  if (after.hits * before.trials <= before.hits * after.trials) {
    const [misses, otherMisses] = [after.trials - after.hits, before.trials - before.hits]
    if (misses === after.trials || otherMisses === 0) return 1
    return 1 - upperTail({ hits: otherMisses - 1, trials: before.trials }, { hits: misses + 1, trials: after.trials })
  }
  let term = Math.exp(
    logChoose(after.trials, after.hits) +
      logChoose(before.trials, before.hits) -
      logChoose(before.trials + after.trials, hits),
  )
  let sum = 0
  for (let x = after.hits; x <= Math.min(hits, after.trials) && term > sum * negligible; x += 1) {
    sum += term
    term *= ((after.trials - x) * (hits - x)) / ((x + 1) * (before.trials - hits + x + 1))
  }
  return Math.min(1, sum)
}

/** ln of the number of ways to choose k of n. */
function logChoose(n: number, k: number): number {
  return -Math.log(n + 1) - logBeta(k + 1, n - k + 1)
}
