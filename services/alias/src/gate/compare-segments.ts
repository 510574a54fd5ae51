import { logEValueBelow, oneSidedMargin } from '@ratchet/stats/difference-e-value'
import { differenceVariance } from '@ratchet/stats/difference-variance'
import { errorShares } from '@ratchet/stats/error-shares'
import type { Interval } from '@ratchet/stats/interval'
import { informationForMargin } from '@ratchet/stats/partly-graded-difference'
import type { ArmScores } from './arm-counts.ts'
import { minForAsymptotics, shrunkShare } from './compare-arms.ts'

type Scores = Pick<ArmScores, 'scored' | 'fails'>

/** Verdicts of both arms on the requests of one segment. */
export interface SegmentCounts {
  readonly segment: string
  /** Its place in the order in which segments appeared in this epoch, from 1. */
  readonly place: number
  /** The gate took it out of the split in this epoch. */
  readonly isRolledBack: boolean
  readonly target: Scores
  readonly canary: Scores
}

export interface ComparedSegment extends SegmentCounts {
  /**
   * Pass rate of the canary minus that of the target, corrected where J is known; null with fewer than fifty verdicts in an
   * arm. All upper bounds hold together, and so do all lower ones.
   */
  readonly difference: { readonly estimate: number; readonly cs: Interval } | null
  /** Natural logarithm of the e-value against "not worse by the margin or more"; 0 with too few verdicts. */
  readonly logEValue: number
  /** Share of alpha that the segment has. */
  readonly share: number
  /** Whether the canary is proven worse by more than the margin in this segment, and still gets its requests. */
  readonly isWorse: boolean
}

export interface SegmentRules {
  /** Chance that any segment is ever named falsely, whatever the number of segments that will appear. */
  readonly alpha: number
  readonly margin: number
  /** J of the judge; null when it is not known. */
  readonly youden: number | null
}

/** The drop beyond the margin for which evidence grows fastest. Smaller ones in a segment take long to find. */
const tunedDrop = 0.1
const options = { tightestAt: informationForMargin(tunedDrop) }

interface Measured extends SegmentCounts {
  readonly raw: { readonly difference: number; readonly standardError: number } | null
  readonly logEValue: number
}

/**
 * Compares the arms in each segment, and names those in which the canary is worse by more than the margin. All segments
 * share alpha by `errorShares`, so this may be repeated with every evaluation, and a segment that appears later has its part.
 */
export function compareSegments(counts: readonly SegmentCounts[], rules: SegmentRules): readonly ComparedSegment[] {
  const measured = counts.map((each) => ({ ...each, ...measure(each, rules) }))
  const worse = worseOf(measured, rules)
  const shares = sharesWith(measured, worse)
  return measured.map(({ raw, ...each }, index) => {
    const share = worse.get(each.segment) ?? shares[index] ?? 0
    return {
      ...each,
      difference: raw === null ? null : boundsOf(raw, share, rules),
      share,
      isWorse: worse.has(each.segment),
    }
  })
}

function measure(
  { target, canary }: SegmentCounts,
  { margin, youden }: SegmentRules,
): Pick<Measured, 'raw' | 'logEValue'> {
  if (Math.min(target.scored, canary.scored) < minForAsymptotics) return { raw: null, logEValue: 0 }
  const [first, second] = [passesOf(canary), passesOf(target)]
  const rows = first.of + second.of
  const rates = { rate1: shrunkShare(first), rate2: shrunkShare(second), share1: first.of / rows }
  const raw = {
    difference: first.having / first.of - second.having / second.of,
    standardError: Math.sqrt(differenceVariance(rates) / rows),
  }
  return { raw, logEValue: logEValueBelow({ ...raw, bound: -margin * (youden ?? 1) }, options) }
}

/**
 * The shares with which segments are proven worse. A proof passes its share of alpha to the other segments, which may
 * complete another proof.
 */
function worseOf(measured: readonly Measured[], { alpha }: SegmentRules): ReadonlyMap<string, number> {
  const worse = new Map<string, number>()
  for (;;) {
    const shares = sharesWith(measured, worse)
    const next = measured.flatMap(({ segment, isRolledBack, logEValue }, index) => {
      const share = shares[index] ?? 0
      const isProven = !isRolledBack && !worse.has(segment) && logEValue >= -Math.log(alpha * share)
      return isProven ? [[segment, share] as const] : []
    })
    if (next.length === 0) return worse
    for (const [segment, share] of next) worse.set(segment, share)
  }
}

function sharesWith(measured: readonly Measured[], worse: ReadonlyMap<string, number>): readonly number[] {
  return errorShares(
    measured.map(({ segment, place, isRolledBack }) => ({ place, isRejected: isRolledBack || worse.has(segment) })),
  )
}

function boundsOf(
  { difference, standardError }: NonNullable<Measured['raw']>,
  share: number,
  { alpha, youden }: SegmentRules,
) {
  const estimate = difference / (youden ?? 1)
  const half = oneSidedMargin({ standardError, alpha: alpha * share }, options) / (youden ?? 1)
  return { estimate, cs: { low: Math.max(-1, estimate - half), high: Math.min(1, estimate + half) } }
}

function passesOf({ scored, fails }: Scores) {
  return { having: scored - fails, of: scored }
}
