import { effectiveSampleSize } from '@ratchet/stats/effective-sample-size'
import { weightedRate } from '@ratchet/stats/weighted-rate'
import { judgeAccuracy } from '../calibration/judge-accuracy.ts'
import { measureJudge } from '../calibration/measure-judge.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import type { ValidatedJudge } from './check-drift.ts'

/** The validated state of a judge, from the rows of its calibration; null when all grades are of one class. */
export function validatedJudge(rows: readonly DoneJudgement[], alignedAt: Date): ValidatedJudge | null {
  const judged = rows.flatMap(({ human, verdict, samplingProbability, stratum }) =>
    human === null || verdict === null ? [] : [{ human, verdict, samplingProbability, stratum }],
  )
  const accuracy = judgeAccuracy(measureJudge(judged))
  const weighted = judged.map((row) => ({ success: row.human === 'pass', weight: 1 / row.samplingProbability }))
  const passed = weightedRate(weighted)
  if (accuracy === null || passed === null) return null
  const trials = effectiveSampleSize(weighted.map(({ weight }) => weight))
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
