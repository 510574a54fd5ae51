import type { DoneJudgement } from '../judgements/judgement.ts'
import type { ValidatedJudge } from './check-drift.ts'
import type { ExaminedCriterion } from './drift-store.ts'

/** The validated state of a judge, with the models that judged the rows of its calibration. */
export function validatedJudge(
  { alignedAt, accuracy }: Pick<ExaminedCriterion, 'alignedAt' | 'accuracy'>,
  rows: readonly DoneJudgement[],
): ValidatedJudge {
  const latestFirst = rows.toSorted((one, other) => other.judgedAt.getTime() - one.judgedAt.getTime())
  return {
    alignedAt,
    accuracy,
    judgeModels: reported(latestFirst.map(({ judgeModelResolved }) => judgeModelResolved)),
    fingerprints: reported(latestFirst.map(({ judgeFingerprint }) => judgeFingerprint)),
  }
}

function reported(names: readonly (string | null)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== null))]
}
