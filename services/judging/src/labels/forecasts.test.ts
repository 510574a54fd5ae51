import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { lastOf } from '@ratchet/stats/last-of'
import { createForecasts } from './forecasts.ts'
import { frameOf } from './frame.fixture.ts'
import { type ForecastFacts, planGrading } from './plan-grading.ts'

const counted = (passes: number) =>
  frameOf({
    judged_fail: { rows: 600, fails: 45, passes: 1 },
    judged_pass: { rows: 1_300, fails: 0, passes },
  })
const facts = (more: Partial<ForecastFacts> = {}): ForecastFacts => {
  return { frameId: 'f', strata: counted(120), strategy: 'plan', measures: null, seed: 'a', ...more }
}

function counting() {
  const sliced = createSlicedWork()
  let runs = 0
  const forecasts = createForecasts({
    run(steps) {
      runs += 1
      return sliced.run(steps)
    },
  })
  return { forecasts, runs: () => runs }
}

it('is what the whole computation gives at once, and is computed once for the same facts, also at the same time', async () => {
  const { forecasts, runs } = counting()
  const [first, second] = await Promise.all([forecasts.of('one', facts()), forecasts.of('one', facts())])
  expect(first).toEqual(lastOf(planGrading(facts())))
  expect(second).toBe(first)
  expect(await forecasts.of('one', facts())).toBe(first)
  expect(runs()).toBe(1)
})

it.each<[string, string, Partial<ForecastFacts>]>([
  ['another grade', 'one', { strata: counted(121) }],
  ['another calibration', 'one', { seed: 'b' }],
  ['another strategy', 'one', { strategy: 'balanced' }],
  ['another judge', 'two', {}],
])('is computed again after %s', async (_what, criterionId, more) => {
  const { forecasts, runs } = counting()
  await forecasts.of('one', facts())
  expect(await forecasts.of(criterionId, facts(more))).toEqual(lastOf(planGrading(facts(more))))
  expect(runs()).toBe(2)
})

it('is remembered for each strategy, so that requests by turns cost nothing', async () => {
  const { forecasts, runs } = counting()
  for (const strategy of ['plan', 'balanced', 'plan', 'balanced'] as const)
    await forecasts.of('one', facts({ strategy }))
  expect(runs()).toBe(2)
})
