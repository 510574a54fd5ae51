import { asymptoticConfidenceSequence } from '@ratchet/stats/asymptotic-confidence-sequence'
import { differenceVariance } from '@ratchet/stats/asymptotic-difference'
import { betaBinomialSequence } from '@ratchet/stats/beta-binomial-sequence'
import type { RateDifference } from '@ratchet/stats/corrected-difference'

/** Something that some of an arm's answers have. */
export interface ArmShare {
  readonly having: number
  readonly of: number
}

/** Below this in an arm the asymptotic sequence proves nothing yet. */
export const minForAsymptotics = 50
/** Below this in an arm nothing is said at all. */
const minAtAll = 10

/**
 * How much more often the canary has something than the target, with a confidence sequence: it may be looked at after
 * every answer. Asymptotic from 50 answers in each arm; before that exact and wide, so that a collapse is seen early.
 *
 * @param alpha chance that the sequence ever misses, between 0 and 1
 * @returns null with fewer than ten in an arm
 */
export function compareShares(canary: ArmShare, target: ArmShare, alpha: number): RateDifference | null {
  const fewest = Math.min(canary.of, target.of)
  if (fewest < minAtAll) return null
  if (fewest < minForAsymptotics) return exactDifference(canary, target, alpha)
  return asymptotic(canary, target, alpha)
}

/**
 * The sequence takes the variance from the counts, and an arm without a single failure seems to have none: it would prove
 * anything. So each arm's variance is that of its counts and two of either kind; what is compared stays as it was counted.
 */
function asymptotic(canary: ArmShare, target: ArmShare, alpha: number): RateDifference {
  const n = canary.of + target.of
  const variance = differenceVariance({ rate1: cautious(canary), rate2: cautious(target), share1: canary.of / n })
  const mean = canary.having / canary.of - target.having / target.of
  return { difference: mean, interval: asymptoticConfidenceSequence({ mean, variance, n }, { alpha }) }
}

function cautious({ having, of }: ArmShare): number {
  return (having + 2) / (of + 4)
}

/** Both rates lie in their sequences at once with the chance that is left by halving alpha. */
function exactDifference(canary: ArmShare, target: ArmShare, alpha: number): RateDifference {
  const first = betaBinomialSequence(canary.having, canary.of, alpha / 2)
  const second = betaBinomialSequence(target.having, target.of, alpha / 2)
  return {
    difference: canary.having / canary.of - target.having / target.of,
    interval: { low: first.low - second.high, high: first.high - second.low },
  }
}
