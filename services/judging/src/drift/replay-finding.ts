import { exactSignTest } from '@ratchet/stats/exact-sign-test'
import type { DoneJudgement } from '../judgements/judgement.ts'

/** How a judge did on rows of its calibration when it saw them again. */
export interface ReplayFinding {
  readonly rows: number
  /** Rows that it judged right then and wrong now, and the other way round. */
  readonly worse: number
  readonly better: number
  /** Two-sided exact McNemar test of the two. */
  readonly p: number
  readonly cause: 'judge' | 'traffic'
}

const alpha = 0.05

/**
 * Whose fault a drop is: the rows are the same as in the calibration, so a judge that errs on them more often has
 * changed itself; one that does not sees other traffic.
 *
 * @param before verdicts of the calibration, by label
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

/** What the finding adds to the reason of a flag. */
export function describeReplay({ rows, worse, better, cause }: ReplayFinding): string {
  const seen = `Shown ${rows} rows of its calibration again, the judge got ${worse} wrong that it had right and ${better} right that it had wrong`
  return cause === 'judge'
    ? `${seen}: the judge has changed.`
    : `${seen}: the judge is the same, the traffic has changed.`
}
