import { effectiveSampleSize } from '@ratchet/stats/effective-sample-size'
import { weightedRate } from '@ratchet/stats/weighted-rate'
import { judgeAccuracy } from '../calibration/judge-accuracy.ts'
import { measureJudge } from '../calibration/measure-judge.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import type { ValidatedJudge } from './check-drift.ts'

/** What the rows of a calibration say of a judge and of the traffic it was validated on; null with one class only. */
export function validatedJudge(rows: readonly DoneJudgement[], alignedAt: Date): ValidatedJudge | null {
  const judged = rows.flatMap(({ human, verdict, weight }) =>
    human === null || verdict === null ? [] : [{ human, verdict, weight }],
  )
  const accuracy = judgeAccuracy(measureJudge(judged))
  const passed = weightedRate(judged.map(({ human, weight }) => ({ success: human === 'pass', weight })))
  if (accuracy === null || passed === null) return null
  const trials = effectiveSampleSize(judged.map(({ weight }) => weight))
  const latestFirst = rows.toSorted((one, other) => other.judgedAt.getTime() - one.judgedAt.getTime())
  return {
    alignedAt,
    judgeModels: reported(latestFirst.map(({ judgeModelResolved }) => judgeModelResolved)),
    fingerprints: reported(latestFirst.map(({ judgeFingerprint }) => judgeFingerprint)),
    accuracy,
    passRate: { rate: passed.rate, standardError: Math.sqrt((passed.rate * (1 - passed.rate)) / trials) },
  }
}

function reported(names: readonly (string | null)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== null))]
}
