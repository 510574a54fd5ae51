import { differenceVariance } from '@ratchet/stats/asymptotic-difference'
import { correctedDifference } from '@ratchet/stats/corrected-difference'
import { logEValueBelow } from '@ratchet/stats/difference-e-value'
import { eBenjaminiHochberg } from '@ratchet/stats/e-benjamini-hochberg'
import type { Interval } from '@ratchet/stats/interval'
import { informationForMargin } from '@ratchet/stats/partly-graded-difference'
import type { ArmScores } from './arm-counts.ts'
import { compareShares, minForAsymptotics, shrunkShare } from './compare-arms.ts'

type Scores = Pick<ArmScores, 'scored' | 'fails'>

/** Verdicts of both arms on the requests of one segment. */
export interface SegmentCounts {
  readonly segment: string
  readonly target: Scores
  readonly canary: Scores
}

export interface ComparedSegment extends SegmentCounts {
  /** Pass rate of the canary minus that of the target, corrected where J is known; null with fewer than ten verdicts. */
  readonly difference: { readonly estimate: number; readonly cs: Interval } | null
  /** Natural logarithm of the e-value against "not worse by the margin or more"; 0 with too few verdicts. */
  readonly logEValue: number
  /** Whether the canary is proven worse by more than the margin in this segment. */
  readonly isWorse: boolean
}

export interface SegmentRules {
  /** Chance that any segment is ever named falsely, when the canary is worse by more than the margin in none. */
  readonly alpha: number
  readonly margin: number
  /** J of the judge; null when it is not known. */
  readonly youden: number | null
}

/** The drop beyond the margin for which evidence grows fastest. Smaller ones in a segment take long to find. */
const tunedDrop = 0.15

/**
 * Compares the arms in each segment, and names those in which the canary is worse by more than the margin. All segments
 * together share alpha by the rule of e-BH, so this may be repeated with every evaluation.
 */
export function compareSegments(counts: readonly SegmentCounts[], rules: SegmentRules): readonly ComparedSegment[] {
  const logEValues = counts.map((each) => logEValueOf(each, rules))
  const isWorse = eBenjaminiHochberg(logEValues, rules.alpha)
  return counts.map((each, index) => ({
    ...each,
    difference: differenceOf(each, rules),
    logEValue: logEValues[index] ?? 0,
    isWorse: isWorse[index] === true,
  }))
}

function differenceOf({ target, canary }: SegmentCounts, { alpha, youden }: SegmentRules) {
  const raw = compareShares(passesOf(canary), passesOf(target), alpha)
  if (raw === null) return null
  const { difference: estimate, interval: cs } = youden === null ? raw : correctedDifference(raw, youden)
  return { estimate, cs }
}

function logEValueOf({ target, canary }: SegmentCounts, { margin, youden }: SegmentRules): number {
  if (Math.min(target.scored, canary.scored) < minForAsymptotics) return 0
  const [first, second] = [passesOf(canary), passesOf(target)]
  const rows = first.of + second.of
  const rates = { rate1: shrunkShare(first), rate2: shrunkShare(second), share1: first.of / rows }
  return logEValueBelow(
    {
      difference: first.having / first.of - second.having / second.of,
      standardError: Math.sqrt(differenceVariance(rates) / rows),
      bound: -margin * (youden ?? 1),
    },
    { tightestAt: informationForMargin(tunedDrop) },
  )
}

function passesOf({ scored, fails }: Scores) {
  return { having: scored - fails, of: scored }
}
