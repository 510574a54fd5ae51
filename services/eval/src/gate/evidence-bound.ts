import { asymptoticMargin, sequenceRho } from '@ratchet/stats/asymptotic-confidence-sequence'
import { reuseCriticalValue } from '@ratchet/stats/reuse-critical-value'
import { bisect } from '@ratchet/stats/special/bisect'
import { testedWinRate } from '@ratchet/stats/tested-win-rate'
import type { PairwiseCounts } from '@ratchet/stats/win-rate'
import { sequenceOf, tightestAt } from '../report/difference-of.ts'

export interface BoundOptions {
  /** One-sided error rate. */
  readonly level: number
  /** Average number of earlier comparisons on the same prompts. */
  readonly uses: number
  /** Registered number of samples of an eval that may stop early; null for a fixed number of samples. */
  readonly plannedSequence: number | null
}

/** Lower bound of the win rate of these counts by prompt or run; null when nothing is proven. */
export type LowOf = (clusters: readonly PairwiseCounts[]) => number | null

/** No bound is computed beyond this critical value, whose error rate is 1e-12: the prompts prove nothing any more. */
const maxCriticalValue = 7
const maxLogInverse = -Math.log(1e-12)

/** An eval that may stop early has only its confidence sequence: the interval of a fixed number of samples would be too high. */
export function evidenceBound({ level, uses, plannedSequence }: BoundOptions): LowOf {
  if (plannedSequence === null) {
    const criticalValue = reuseCriticalValue(level, uses)
    return (clusters) =>
      criticalValue > maxCriticalValue ? null : (testedWinRate(clusters, criticalValue)?.interval.low ?? null)
  }
  const alpha = reusedAlpha({ alpha: 2 * level, uses, plannedSamples: plannedSequence })
  return (clusters) => {
    if (alpha === null) return null
    const found = sequenceOf(clusters.map(scoresOf), { candidates: 1, plannedSamples: plannedSequence, alpha })
    return found === null ? null : (1 + found.interval.low) / 2
  }
}

/**
 * The share of the prompts that earlier comparisons have used up. An interval of n prompts narrows with √n, so it is as wide as
 * that of n·(1 - share) fresh ones; of an eval that may stop early, at its registered number of samples.
 */
export function usedUpShare({ level, uses, plannedSequence }: BoundOptions): number {
  if (uses === 0) return 0
  if (plannedSequence === null) {
    const criticalValue = reuseCriticalValue(level, uses)
    return criticalValue > maxCriticalValue ? 1 : 1 - (reuseCriticalValue(level, 0) / criticalValue) ** 2
  }
  const alpha = reusedAlpha({ alpha: 2 * level, uses, plannedSamples: plannedSequence })
  if (alpha === null) return 1
  const [fresh, used] = [2 * level, alpha].map((each) =>
    asymptoticMargin({ variance: 1, n: plannedSequence }, { alpha: each, tightestAt: tightestAt(plannedSequence) }),
  )
  return fresh === undefined || used === undefined ? 1 : Math.max(0, 1 - (fresh / used) ** 2)
}

function scoresOf({ wins, ties, losses }: PairwiseCounts): readonly number[] {
  return [...Array<number>(wins).fill(1), ...Array<number>(ties).fill(0), ...Array<number>(losses).fill(-1)]
}

interface SequenceOptions {
  readonly alpha: number
  readonly uses: number
  readonly plannedSamples: number
}

/**
 * The error rate at which the sequence of one comparison holds for all combinations of k earlier comparisons and this one, as
 * `reuseCriticalValue` does for a fixed number of samples. The sequence of k + 1 dimensions adds (k / 2) log(1 + n ρ²) to
 * log(1 / alpha), with n at most the registered number of samples.
 *
 * @returns null when the prompts prove nothing any more
 */
function reusedAlpha({ alpha, uses, plannedSamples }: SequenceOptions): number | null {
  if (uses === 0) return alpha
  const isEnough = (logInverse: number) => {
    const rho = sequenceRho(tightestAt(plannedSamples), Math.exp(-logInverse))
    return logInverse >= -Math.log(alpha) + (uses / 2) * Math.log1p(plannedSamples * rho ** 2)
  }
  const found = bisect({ from: -Math.log(alpha), to: maxLogInverse }, isEnough)
  return found < maxLogInverse ? Math.exp(-found) : null
}
