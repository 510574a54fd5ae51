import { lastOf } from '@ratchet/stats/last-of'
import { cpuMs, fastestCpuMs } from '@ratchet/testing/cpu-time'
import { measureJudge } from '../calibration/measure-judge.ts'
import { confusionRows } from '../calibration/rows.fixture.ts'
import { gradingOrder } from './choose-candidates.ts'
import { frameOf } from './frame.fixture.ts'
import type { GradingStrategy } from './grading-frame.ts'
import { type ForecastFacts, openClassesOf, planGrading } from './plan-grading.ts'

const random = frameOf({ all: { rows: 2_000, fails: 60, passes: 140 } })
const judged = frameOf({
  judged_fail: { rows: 600, fails: 45, passes: 1 },
  judged_pass: { rows: 1_300, fails: 0, passes: 120 },
  judged_pass_disputed: { rows: 100, fails: 1, passes: 23 },
})
const measures = measureJudge(confusionRows({ tp: 59, fn: 1, fp: 2, tn: 138 }))

function plan(strategy: GradingStrategy, more: Partial<ForecastFacts> = {}) {
  return lastOf(stepsOf(strategy, more))
}

function stepsOf(strategy: GradingStrategy, more: Partial<ForecastFacts> = {}) {
  const known = strategy === 'random' ? { strata: random, measures } : { strata: judged, measures: null }
  return planGrading({ frameId: 'f', strategy, seed: 'a', ...known, ...more })
}

it.each(['random', 'plan'] as const)(
  '%s: says how many grades are enough, from which strata, with which chance',
  (strategy) => {
    const { grades_needed: needed, order, curve, reason } = plan(strategy)
    expect(reason).toBeNull()
    expect(needed).toBeGreaterThan(0)
    expect(order.reduce((total, { grades }) => total + grades, 0)).toBe(needed)
    const at = curve.find(({ grades }) => grades === needed)
    expect(at?.p_can_act).toBeGreaterThanOrEqual(0.8)
    for (const { p_can_act, p_trustworthy } of curve) expect(p_can_act).toBeLessThanOrEqual(p_trustworthy)
    expect(plan(strategy)).toEqual(plan(strategy))
  },
)

it('needs no grades when the judge may act', () => {
  const proven = measureJudge(confusionRows({ tp: 200, fn: 0, fp: 0, tn: 200 }))
  expect(plan('random', { measures: proven })).toMatchObject({
    grades_needed: 0,
    reason: null,
    open_sides: [],
    curve: [],
  })
})

it.each([
  ['not_measured', { measures: null }],
  ['not_measured', { measures: measureJudge(confusionRows({ tp: 0, fn: 0, fp: 2, tn: 138 })) }],
  ['below_bar', { measures: measureJudge(confusionRows({ tp: 40, fn: 40, fp: 2, tn: 138 })) }],
  ['frame_too_small', { strata: frameOf({ all: { rows: 210, fails: 60, passes: 140 } }) }],
  ['too_many_grades', { measures: measureJudge(confusionRows({ tp: 91, fn: 9, fp: 2, tn: 138 })) }],
] as const)('says why no number is known: %s', (reason, more) => {
  expect(plan('random', more)).toMatchObject({ grades_needed: null, reason })
})

it('plans a judge without a calibration from the verdicts that formed the strata', () => {
  expect(plan('plan')).toMatchObject({ open_sides: ['tpr', 'tnr'], reason: null })
})

it('learns a little of every stratum, and then takes the grades that prove the open rate', () => {
  const countsOf = (openClasses: readonly ('fail' | 'pass')[]) => {
    const order = gradingOrder(judged, 'plan', { limit: 100, openClasses })
    return judged.map((_, index) => order.filter((place) => place === index).length)
  }
  const [fails = 0, passes = 0] = countsOf(['fail'])
  expect(passes).toBeGreaterThan(fails)
  // Misses of passes are among what the judge failed.
  const [failsForTnr = 0] = countsOf(['pass'])
  expect(failsForTnr).toBeGreaterThan(fails)
  const fresh = frameOf({
    judged_fail: { rows: 500, fails: 0, passes: 0 },
    judged_pass: { rows: 1_500, fails: 0, passes: 0 },
  })
  const first = gradingOrder(fresh, 'plan', { limit: 20, openClasses: ['fail', 'pass'] })
  expect(first.filter((place) => place === 0)).toHaveLength(10)
})

it('leaves out a rate that is proven', () => {
  const proven = measureJudge(confusionRows({ tp: 59, fn: 1, fp: 0, tn: 200 }))
  expect(openClassesOf(proven)).toEqual(['fail'])
  expect(openClassesOf(null)).toEqual(['fail', 'pass'])
  // Needs an e-value of more than a million, which is the largest that is shown.
  const copies = 200
  const weaker = measureJudge(confusionRows({ tp: 59, fn: 1, fp: 0, tn: 100 }))
  expect(openClassesOf({ ...proven, copies })).toEqual(['fail'])
  expect(openClassesOf(weaker)).toEqual(['fail'])
  expect(openClassesOf({ ...weaker, copies })).toEqual(['fail', 'pass'])
})

// The whole of it, which runs in slices: the test below limits what delays other requests.
it('takes less than 300 ms of the processor', () => {
  expect(fastestCpuMs(5, () => plan('plan'))).toBeLessThan(300)
  expect(fastestCpuMs(5, () => plan('random'))).toBeLessThan(300)
})

it.each(['random', 'plan'] as const)('%s: gives the turn back within some milliseconds', (strategy) => {
  const longest = () => {
    const steps = stepsOf(strategy)
    let isDone = false
    let max = 0
    while (!isDone) {
      max = Math.max(
        max,
        cpuMs(() => {
          isDone = steps.next().done === true
        }),
      )
    }
    return max
  }
  expect(Math.min(...Array.from({ length: 5 }, longest))).toBeLessThan(10)
})
