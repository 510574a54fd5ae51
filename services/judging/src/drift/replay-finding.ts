import type { Verdict } from '@ratchet/contracts/criteria'
import { Z_95 } from '@ratchet/stats/interval'
import { type PairedShift, pairedShift } from '@ratchet/stats/paired-shift'
import type { DoneJudgement } from '../judgements/judgement.ts'
import type { DriftCause, DriftFinding } from './check-drift.ts'

/** Verdicts of a judge on rows of its calibration, compared with its verdicts in the calibration. */
export interface ReplayFinding {
  /** Rows with a verdict both times. */
  readonly rows: number
  /** Rows that the judge passed in the calibration and fails now. */
  readonly gained: number
  /** Rows that it failed in the calibration and passes now. */
  readonly lost: number
  /** How much the judge alone raises the rate of verdicts FAIL on live traffic, with its 95 % interval; null without rows. */
  readonly shift: { readonly rise: number; readonly low: number; readonly high: number } | null
  /** Null when the rows do not show which. */
  readonly cause: DriftCause | null
}

/** The drop whose cause is searched; null when a run of an older release searches it. */
export type ReplayedDrop = DriftFinding['drop']

/**
 * Decides the cause of a drop. The rows are those of the calibration, so verdicts on them change only if the judge does.
 * Both classes count as often as they occurred in live traffic before the drop. The judge has changed if it fails more of these rows; the
 * traffic has, if the judge explains less than half of the drop.
 *
 * @param before judgements of the calibration, by label
 */
export function replayFinding(
  before: ReadonlyMap<string, DoneJudgement>,
  replayed: readonly DoneJudgement[],
  drop: ReplayedDrop,
): ReplayFinding {
  const pairs = replayed.flatMap(({ labelId, human, verdict: now }) => {
    const then = (labelId === null ? undefined : before.get(labelId)?.verdict) ?? null
    return human === null || now === null || then === null ? [] : [{ human, then, now }]
  })
  const gained = pairs.filter(({ then, now }) => then === 'pass' && now === 'fail').length
  const lost = pairs.filter(({ then, now }) => then === 'fail' && now === 'pass').length
  const shift = shiftOf(pairs, drop?.failRate ?? null)
  return { rows: pairs.length, gained, lost, shift, cause: causeOf(shift, drop) }
}

interface JudgedTwice {
  readonly human: Verdict
  readonly then: Verdict
  readonly now: Verdict
}

/** @param failRate share of failing answers in live traffic before the drop; null for their share among the rows */
function shiftOf(pairs: readonly JudgedTwice[], failRate: number | null): ReplayFinding['shift'] {
  if (pairs.length === 0) return null
  const fails = pairs.filter(({ human }) => human === 'fail')
  const passes = pairs.filter(({ human }) => human === 'pass')
  const share = failRate ?? fails.length / pairs.length
  const [ofFails, ofPasses] = [classShift(fails), classShift(passes)]
  const rise = share * ofFails.shift + (1 - share) * ofPasses.shift
  const margin = Z_95 * Math.hypot(share * ofFails.standardError, (1 - share) * ofPasses.standardError)
  return { rise, low: rise - margin, high: rise + margin }
}

function classShift(pairs: readonly JudgedTwice[]): Pick<PairedShift, 'shift' | 'standardError'> {
  const found = pairedShift({
    gained: pairs.filter(({ then, now }) => then === 'pass' && now === 'fail').length,
    lost: pairs.filter(({ then, now }) => then === 'fail' && now === 'pass').length,
    pairs: pairs.length,
  })
  // A class without rows may have changed completely.
  return found ?? { shift: 0, standardError: 1 }
}

function causeOf(shift: ReplayFinding['shift'], drop: ReplayedDrop): DriftCause | null {
  if (shift === null) return null
  if (drop !== null && shift.high < drop.rise / 2) return 'traffic'
  return shift.low > 0 ? 'judge' : null
}

/** The sentence that a finding adds to the reason of the drift flag. */
export function describeReplay({ rows, gained, lost, cause }: ReplayFinding): string {
  const seen = `Shown ${rows} graded rows of its calibration again, the judge fails ${gained} that it passed and passes ${lost} that it failed`
  switch (cause) {
    case 'judge':
      return `${seen}: the judge has changed.`
    case 'traffic':
      return `${seen}: the traffic has changed.`
    case null:
      return `${seen}: these rows are too few to say whether the judge or the traffic has changed.`
  }
}
