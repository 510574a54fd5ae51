import { GatePlan } from '@ratchet/contracts/gate-plan'
import { judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import { type PlannedSpending, planCost } from './plan-cost.ts'

const spending: PlannedSpending = {
  settings: settingsWith(),
  judge: judgeWith({ verdictCost: { usd: 0.002, from: 'verdicts' } }),
  verdicts: 5_000,
  hours: 20,
  requestsPerHour: 1_000,
  shadow: null,
}
const mirrored = settingsWith({ shadow_model: 'sim/medium', shadow_percent: 10 })
const shadow = {
  model: 'sim/medium',
  mirrored: 100,
  answered: 80,
  errors: 20,
  scored: 0,
  fails: 0,
  latencyMs: 0,
  costUsd: 0.8,
}

it('is the price of the verdicts that are missing', () => {
  expect(planCost(spending)).toEqual({
    usd_per_verdict: 0.002,
    usd_per_verdict_from: 'verdicts',
    judging_usd: 10,
    mirroring_usd: 0,
  })
})

it.each([
  ['there is no judge', null],
  ['judging knows no price', judgeWith({ verdictCost: null })],
  ['an earlier release stored the judge', { ...judgeWith(), verdictCost: undefined } as never],
])('is not known when %s', (_what, judge) => {
  expect(planCost({ ...spending, judge })).toMatchObject({ usd_per_verdict: null, judging_usd: null })
})

it('has the answers of the shadow, and a verdict on each', () => {
  expect(planCost({ ...spending, settings: mirrored, shadow }).mirroring_usd).toBeCloseTo(2_000 * (0.01 + 0.002), 10)
})

it.each([
  ['nothing was mirrored yet', { shadow: null }],
  ['it had no answer', { shadow: { ...shadow, answered: 0 } }],
  ['it was another model', { shadow: { ...shadow, model: 'sim/small' } }],
  ['the hours are not known', { hours: null }],
  ['there is no traffic', { requestsPerHour: null }],
])('does not know the cost of the shadow when %s', (_what, more) => {
  expect(planCost({ ...spending, settings: mirrored, shadow, ...more }).mirroring_usd).toBeNull()
})

it('is unknown in a plan that an earlier release stored', () => {
  const { cost, ...older } = GatePlan.shape
  expect(Object.keys(older)).not.toContain('cost')
  expect(cost.parse(undefined)).toMatchObject({ judging_usd: null, mirroring_usd: null })
})
