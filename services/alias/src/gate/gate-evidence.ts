import type { GuardCheck } from '@ratchet/contracts/alias-gate'
import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { correctedDifference, type RateDifference } from '@ratchet/stats/corrected-difference'
import type { Interval } from '@ratchet/stats/interval'
import { newcombeDifference } from '@ratchet/stats/newcombe-difference'
import { sampleRatioTest } from '@ratchet/stats/sample-ratio-test'
import { type ArmCounts, type CountsByArm, chosenOf } from './arm-counts.ts'
import { checkGuard } from './check-guard.ts'
import { compareShares, minForAsymptotics } from './compare-arms.ts'
import { compareGraded, compareGradedAtWorst, withErrors } from './compare-graded.ts'
import { type ComparedSegment, compareSegments, type SegmentCounts } from './compare-segments.ts'
import { type GateJudge, youdenOf } from './gate-judge.ts'
import { judgesRuns } from './run-rules.ts'

/** What is counted and known about a split. */
export interface SplitCounts {
  readonly settings: AliasSettings
  readonly judge: GateJudge | null
  readonly arms: CountsByArm
  readonly segments: readonly SegmentCounts[]
}

/** Everything that a gate decides on. */
export interface GateEvidence<Guard extends GuardFinding = GuardFinding> extends Omit<SplitCounts, 'segments'> {
  /**
   * Pass rate of the canary minus that of the target by the verdicts alone, corrected for the judge's errors where
   * `youden` is known: right as long as the judge errs equally on both arms. Null with fewer than ten verdicts in an arm.
   */
  readonly difference: { readonly estimate: number; readonly ci: Interval; readonly cs: Interval } | null
  /** The same by verdicts and grades of each arm's own answers, and its failed requests. Null while an arm lacks grades. */
  readonly graded: RateDifference | null
  /** The same with all that was left out of the canary by its own doing counted against it. A promotion needs it. */
  readonly gradedAtWorst: RateDifference | null
  readonly segments: readonly ComparedSegment[]
  /**
   * The difference by verdicts without the segments in which the canary is proven worse. Null without such a segment, or
   * with fewer than fifty verdicts in an arm.
   */
  readonly rest: RateDifference | null
  /** Maximum tolerated drop, in the unit of the difference. */
  readonly margin: number
  readonly youden: number | null
  /** p value of the test for a sample ratio mismatch; null when the test does not apply. */
  readonly srmP: number | null
  readonly guard: readonly Guard[]
}

/** A guard of any name. */
export type GuardFinding = Omit<GuardCheck, 'name'> & { readonly name: string }

/** Below this expected count in an arm the chi-square test has too many false alarms. */
const minExpected = 20

export function gateEvidence(counts: SplitCounts): GateEvidence<GuardCheck> {
  const { settings, judge, arms, segments } = counts
  const alpha = alphaOf(settings)
  const youden = youdenOf(judge)
  const margin = settings.gate_rollback_threshold
  const compared = compareSegments(segments, { alpha, margin, youden })
  const [canary, target] = judgesRuns(judge)
    ? [arms.canary, arms.target]
    : [withErrors(arms.canary), withErrors(arms.target)]
  return {
    settings,
    judge,
    arms,
    difference: differenceOf(arms, { alpha, youden }),
    graded: compareGraded(canary, target, { alpha, margin }),
    gradedAtWorst: compareGradedAtWorst(canary, target, { alpha, margin }),
    segments: compared,
    rest: restOf(arms, compared, { alpha, youden }),
    margin,
    youden,
    srmP: sampleRatioOf(counts),
    guard: settings.gate_guard === null ? [] : checkGuard({ guard: settings.gate_guard, ...arms, alpha }),
  }
}

/** Chance that a confidence sequence ever misses the true value. */
export function alphaOf({ gate_confidence: confidence }: Pick<AliasSettings, 'gate_confidence'>): number {
  return 1 - confidence
}

function differenceOf(
  { target, canary }: CountsByArm,
  { alpha, youden }: { readonly alpha: number; readonly youden: number | null },
): GateEvidence['difference'] {
  const passesOf = ({ scored, fails }: ArmCounts) => ({ having: scored - fails, of: scored })
  const [first, second] = [passesOf(canary), passesOf(target)]
  const sequence = compareShares(first, second, alpha)
  const fixed = newcombeDifference({
    successes1: first.having,
    trials1: first.of,
    successes2: second.having,
    trials2: second.of,
  })
  if (sequence === null || fixed === null) return null
  const [cs, ci] =
    youden === null ? [sequence, fixed] : [sequence, fixed].map((raw) => correctedDifference(raw, youden))
  if (cs === undefined || ci === undefined) return null
  return { estimate: cs.difference, ci: ci.interval, cs: cs.interval }
}

function restOf(
  arms: CountsByArm,
  segments: readonly ComparedSegment[],
  { alpha, youden }: { readonly alpha: number; readonly youden: number | null },
): RateDifference | null {
  const worse = segments.filter(({ isWorse }) => isWorse)
  if (worse.length === 0) return null
  const passesOf = (arm: Arm) => {
    const of = arms[arm].scored - sumOf(worse.map((each) => each[arm].scored))
    return { having: of - arms[arm].fails + sumOf(worse.map((each) => each[arm].fails)), of }
  }
  const [canary, target] = [passesOf('canary'), passesOf('target')]
  if (Math.min(canary.of, target.of) < minForAsymptotics) return null
  const raw = compareShares(canary, target, alpha)
  return raw === null || youden === null ? raw : correctedDifference(raw, youden)
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * With `sticky_by: trace` all requests of a trace get one arm. They are not independent, so the test does not apply to them.
 * It applies to runs, each of which was assigned once.
 */
function sampleRatioOf({ settings, judge, arms }: Omit<SplitCounts, 'segments'>): number | null {
  const share = settings.canary_percent / 100
  const ofRuns = judgesRuns(judge)
  if ((settings.sticky_by === 'trace' && !ofRuns) || share <= 0 || share >= 1) return null
  const countOf = ofRuns ? chosenOf : ({ assigned }: ArmCounts) => assigned
  const [target, canary] = [countOf(arms.target), countOf(arms.canary)]
  if ((target + canary) * Math.min(share, 1 - share) < minExpected) return null
  const test = sampleRatioTest([
    { count: canary, share },
    { count: target, share: 1 - share },
  ])
  return test?.p ?? null
}
