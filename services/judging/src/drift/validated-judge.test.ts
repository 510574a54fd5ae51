import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { examinedCriterion } from './drift.fixture.ts'
import { validatedJudge } from './validated-judge.ts'

const examined = examinedCriterion()
const row = (minute: number, fingerprint: string | null) =>
  doneJudgement(minute, {
    judgeModelResolved: 'judge-1',
    judgeFingerprint: fingerprint,
    judgedAt: new Date(examined.alignedAt.getTime() + minute * 60_000),
  })

it('lists the models and builds that answered in the calibration, latest first', () => {
  const rows = [row(1, 'fp_1'), row(3, 'fp_2'), row(2, null), row(0, 'fp_2')]
  expect(validatedJudge(examined, rows)).toEqual({
    alignedAt: examined.alignedAt,
    accuracy: examined.accuracy,
    judgeModels: ['judge-1'],
    fingerprints: ['fp_2', 'fp_1'],
  })
})
