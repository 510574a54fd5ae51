import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { validatedJudge } from './validated-judge.ts'

const alignedAt = new Date('2026-11-20T00:00:00Z')
const row = (human: 'pass' | 'fail', minute: number, fingerprint: string | null, samplingProbability = 1) =>
  doneJudgement(minute, {
    human,
    verdict: human,
    samplingProbability,
    judgeModelResolved: 'judge-1',
    judgeFingerprint: fingerprint,
    judgedAt: new Date(alignedAt.getTime() + minute * 60_000),
  })

it('lists the models and builds that answered in the calibration, latest first', () => {
  const rows = [row('fail', 1, 'fp_1'), row('pass', 3, 'fp_2'), row('pass', 2, null), row('pass', 0, 'fp_2')]
  expect(validatedJudge(rows, alignedAt)).toMatchObject({
    alignedAt,
    judgeModels: ['judge-1'],
    fingerprints: ['fp_2', 'fp_1'],
  })
})

it('weights the pass rate by sampling, which widens its standard error', () => {
  const judge = validatedJudge([row('fail', 1, null, 1 / 3), row('pass', 2, null), row('pass', 3, null)], alignedAt)
  expect(judge?.passRate.rate).toBeCloseTo(2 / 5, 12)
  expect(judge?.passRate.standardError).toBeCloseTo(Math.sqrt((0.4 * 0.6) / (25 / 11)), 12)
})

it('is null for a calibration with only one class', () => {
  expect(validatedJudge([row('pass', 1, null)], alignedAt)).toBeNull()
})
