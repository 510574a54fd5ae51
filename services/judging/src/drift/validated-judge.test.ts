import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { validatedJudge } from './validated-judge.ts'

const alignedAt = new Date('2026-11-20T00:00:00Z')
const row = (human: 'pass' | 'fail', minute: number, fingerprint: string | null, weight = 1) =>
  doneJudgement(minute, {
    human,
    verdict: human,
    weight,
    judgeModelResolved: 'judge-1',
    judgeFingerprint: fingerprint,
    judgedAt: new Date(alignedAt.getTime() + minute * 60_000),
  })

it('knows everything that answered in the calibration, the latest first', () => {
  const rows = [row('fail', 1, 'fp_1'), row('pass', 3, 'fp_2'), row('pass', 2, null), row('pass', 0, 'fp_2')]
  expect(validatedJudge(rows, alignedAt)).toMatchObject({
    alignedAt,
    judgeModels: ['judge-1'],
    fingerprints: ['fp_2', 'fp_1'],
  })
})

it('weighs what passes as it was sampled, and is less sure of it', () => {
  const judge = validatedJudge([row('fail', 1, null, 3), row('pass', 2, null), row('pass', 3, null)], alignedAt)
  expect(judge?.passRate.rate).toBeCloseTo(2 / 5, 12)
  expect(judge?.passRate.standardError).toBeCloseTo(Math.sqrt((0.4 * 0.6) / (25 / 11)), 12)
})

it('says nothing of a calibration with one class', () => {
  expect(validatedJudge([row('pass', 1, null)], alignedAt)).toBeNull()
})
