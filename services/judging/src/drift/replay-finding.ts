import { exactSignTest } from '@ratchet/stats/exact-sign-test'
import type { DoneJudgement } from '../judgements/judgement.ts'

/** Verdicts of a judge on rows of its calibration, compared with its verdicts in the calibration. */
export interface ReplayFinding {
  readonly rows: number
  /** Rows that it judged right in the calibration and wrong now. */
  readonly worse: number
  /** Rows that it judged wrong in the calibration and right now. */
  readonly better: number
  /** p value of the two-sided exact McNemar test of `worse` and `better`. */
  readonly p: number
  readonly cause: 'judge' | 'traffic'
}

const alpha = 0.05

/**
 * Decides the cause of a drop. The rows are those of the calibration, so a judge that errs on them more often has changed;
 * otherwise the traffic has.
 *
 * @param before judgements of the calibration, by label
 */
export function replayFinding(
  before: ReadonlyMap<string, DoneJudgement>,
  replayed: readonly DoneJudgement[],
): ReplayFinding {
  let rows = 0
  let worse = 0
  let better = 0
  for (const { labelId, human, verdict } of replayed) {
    const then = labelId === null ? undefined : before.get(labelId)
    if (verdict === null || human === null || then === undefined || then.verdict === null) continue
    rows += 1
    if (then.verdict === human && verdict !== human) worse += 1
    if (then.verdict !== human && verdict === human) better += 1
  }
  const p = exactSignTest(better, worse)
  return { rows, worse, better, p, cause: worse > better && p < alpha ? 'judge' : 'traffic' }
}

/** The sentence that a finding adds to the reason of the drift flag. */
export function describeReplay({ rows, worse, better, cause }: ReplayFinding): string {
  const seen = `Shown ${rows} rows of its calibration again, the judge got ${worse} wrong that it had right and ${better} right that it had wrong`
  return cause === 'judge'
    ? `${seen}: the judge has changed.`
    : `${seen}: the judge is unchanged, the traffic has changed.`
}
