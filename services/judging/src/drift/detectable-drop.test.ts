import { detectableDrop } from './detectable-drop.ts'

const accuracy = { truePositives: 95, humanFails: 100, trueNegatives: 388, humanPasses: 400 }
/** Eight weeks of a monitor of traffic with 10 % fails. */
const monitored = (verdictsPerDay: number, days = 56) => {
  const trials = verdictsPerDay * days
  return { verdictsPerDay, before: { trials, hits: Math.round(trials * 0.122) } }
}

it('is smaller with more verdicts a day, with more before, and for a better judge', () => {
  const drop = (perDay: number, days?: number) => detectableDrop(monitored(perDay, days), accuracy) ?? 1
  expect(drop(200)).toBeLessThan(0.05)
  expect(drop(100)).toBeGreaterThan(0.045)
  expect(drop(50)).toBeGreaterThan(drop(100))
  expect(drop(100, 7)).toBeGreaterThan(drop(100))
  const weak = { ...accuracy, truePositives: 60 }
  expect(detectableDrop(monitored(100), weak)).toBeGreaterThan(drop(100))
})

it('is never below the smallest drop that is flagged', () => {
  expect(detectableDrop(monitored(1_000_000), accuracy)).toBeGreaterThanOrEqual(0.03)
})

it.each([
  ['with too few verdicts in two weeks', monitored(3), accuracy],
  ['without verdicts before', monitored(100, 0), accuracy],
  ['without a measured judge', monitored(100), null],
  ['for a judge that is too weak', monitored(100), { ...accuracy, truePositives: 10 }],
  ['when nearly every answer fails', { verdictsPerDay: 10, before: { trials: 560, hits: 555 } }, accuracy],
])('is not known %s', (_what, facts, judge) => {
  expect(detectableDrop(facts, judge)).toBeNull()
})
