import { type GradingPlanFacts, gradingPlanSentence, stratumLabel } from './grading-plan-sentence.ts'

const facts: GradingPlanFacts = {
  points: [
    { grades: 10, trustworthy: 0.9, mayAct: 0.6 },
    { grades: 1_400, trustworthy: 1, mayAct: 0.97 },
  ],
  chance: 0.8,
  needed: 14,
  reason: null,
  parts: [
    { label: 'that the judge failed', grades: 5 },
    { label: 'that the judge passed', grades: 9 },
  ],
  minutes: 3.5,
  costUsd: 0.125,
}

it('says how many grades, of which answers, and with which chance the judge may act then', () => {
  expect(gradingPlanSentence(facts)).toBe(
    '14 more grades, then a calibration: the judge may act with a chance of 80 %. Of them 5 that the judge failed, 9 that the judge passed. The grading takes about 4 minutes, and the calibration costs about $0.13.',
  )
})

it('says no time and no cost that is not known', () => {
  expect(gradingPlanSentence({ ...facts, costUsd: null })).toMatch(/about 4 minutes\.$/)
  expect(gradingPlanSentence({ ...facts, minutes: null })).toMatch(/9 that the judge passed\.$/)
})

it('says why no number is known, and what the most grades reach', () => {
  const sentence = gradingPlanSentence({ ...facts, needed: null, reason: 'too few answers are left' })
  expect(sentence).toMatch(/too few answers are left\..*1,400.*97 %/)
  expect(gradingPlanSentence({ ...facts, needed: null, points: [] })).not.toMatch(/After/)
})

it('says that nothing is needed', () => {
  expect(gradingPlanSentence({ ...facts, needed: 0, points: [], parts: [] })).toMatch(/may act; it needs no more/)
})

it('names the answers of a stratum without its frame', () => {
  expect(stratumLabel('019aa5f0/judged_fail')).toBe('that the judge failed')
  expect(stratumLabel('019aa5f0/own')).toBe('own')
})
