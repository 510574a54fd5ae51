import type { GuardCheck } from '@ratchet/contracts/alias-gate'
import type { AliasSettings } from '@ratchet/contracts/aliases'
import { correctedDifference } from '@ratchet/stats/corrected-difference'
import type { Interval } from '@ratchet/stats/interval'
import { newcombeDifference } from '@ratchet/stats/newcombe-difference'
import { sampleRatioTest } from '@ratchet/stats/sample-ratio-test'
import type { ArmCounts, CountsByArm } from './arm-counts.ts'
import { checkGuard } from './check-guard.ts'
import { compareShares } from './compare-arms.ts'
import { type GateJudge, youdenOf } from './gate-judge.ts'

/** What the counts of a split say. */
export interface GateReading {
  /** Of pass rates, canary minus target; corrected where the judge is good enough. Null with fewer than ten in an arm. */
  readonly difference: { readonly estimate: number; readonly ci: Interval; readonly cs: Interval } | null
  /** The largest drop that is tolerated, in the unit of the difference. */
  readonly margin: number
  readonly youden: number | null
  /** Null where it cannot be told. */
  readonly srmP: number | null
  readonly guard: readonly GuardCheck[]
}

export interface GateQuestion {
  readonly settings: AliasSettings
  readonly judge: GateJudge | null
  readonly arms: CountsByArm
}

/** Below this chance the arms are not what the split says, and nothing is decided. Low, for it is looked at again and again. */
export const srmAlpha = 0.0001
/** Below this many in an arm the chi-square test cries wolf. */
const minExpected = 20

/** Reads a split: the difference of its arms, its guards, and whether the arms are what they should be. */
export function readGate({ settings, judge, arms }: GateQuestion): GateReading {
  const alpha = alphaOf(settings)
  const youden = youdenOf(judge)
  const { target, canary } = arms
  return {
    difference: differenceOf(arms, { alpha, youden }),
    margin: settings.gate_rollback_threshold,
    youden,
    srmP: sampleRatioOf(settings, arms),
    guard: settings.gate_guard === null ? [] : checkGuard({ guard: settings.gate_guard, canary, target, alpha }),
  }
}

/** Chance that a sequence ever misses. */
export function alphaOf({ gate_confidence: confidence }: Pick<AliasSettings, 'gate_confidence'>): number {
  return 1 - confidence
}

function differenceOf(
  { target, canary }: CountsByArm,
  { alpha, youden }: { readonly alpha: number; readonly youden: number | null },
): GateReading['difference'] {
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

/** Requests of one trace fall together, so where traces are kept together the test would cry wolf. */
function sampleRatioOf(settings: AliasSettings, { target, canary }: CountsByArm): number | null {
  const share = settings.canary_percent / 100
  if (settings.sticky_by === 'trace' || share <= 0 || share >= 1) return null
  const total = target.assigned + canary.assigned
  if (total * Math.min(share, 1 - share) < minExpected) return null
  const test = sampleRatioTest([
    { count: canary.assigned, share },
    { count: target.assigned, share: 1 - share },
  ])
  return test?.p ?? null
}
