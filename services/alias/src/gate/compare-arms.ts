import { asymptoticConfidenceSequence } from '@ratchet/stats/asymptotic-confidence-sequence'
import { betaBinomialSequence } from '@ratchet/stats/beta-binomial-sequence'
import type { RateDifference } from '@ratchet/stats/corrected-difference'
import { differenceVariance } from '@ratchet/stats/difference-variance'

/** Number of an arm's answers that have some property. */
export interface ArmShare {
  readonly having: number
  readonly of: number
}

/** Minimum answers in an arm for the asymptotic sequence to be valid. */
export const minForAsymptotics = 50
/** Minimum answers in an arm for any sequence. */
const minAtAll = 10

/**
 * Share of the canary minus share of the target, with a confidence sequence, which stays valid when it is read after
 * every answer. It is asymptotic from 50 answers in each arm on. Before that it is exact and wide, and detects a collapse.
 *
 * @param alpha chance that the sequence ever misses the true difference, between 0 and 1
 * @returns null with fewer than ten in an arm
 */
export function compareShares(canary: ArmShare, target: ArmShare, alpha: number): RateDifference | null {
  const minAnswers = Math.min(canary.of, target.of)
  if (minAnswers < minAtAll) return null
  if (minAnswers < minForAsymptotics) return exactDifference(canary, target, alpha)
  return asymptotic(canary, target, alpha)
}

/**
 * An arm without a single failure has a variance of zero by its counts, and would prove anything. Therefore the variance
 * of each arm is estimated from its counts plus two successes and two failures. The difference itself is not changed.
 */
function asymptotic(canary: ArmShare, target: ArmShare, alpha: number): RateDifference {
  const n = canary.of + target.of
  const variance = differenceVariance({ rate1: shrunkShare(canary), rate2: shrunkShare(target), share1: canary.of / n })
  const mean = canary.having / canary.of - target.having / target.of
  return { difference: mean, interval: asymptoticConfidenceSequence({ mean, variance, n }, { alpha }) }
}

/** A share with two more of each kind, for a variance. */
export function shrunkShare({ having, of }: ArmShare): number {
  return (having + 2) / (of + 4)
}

/** Each rate gets half of alpha, so both sequences together miss with at most alpha. */
function exactDifference(canary: ArmShare, target: ArmShare, alpha: number): RateDifference {
  const first = betaBinomialSequence(canary.having, canary.of, alpha / 2)
  const second = betaBinomialSequence(target.having, target.of, alpha / 2)
  return {
    difference: canary.having / canary.of - target.having / target.of,
    interval: { low: first.low - second.high, high: first.high - second.low },
  }
}
