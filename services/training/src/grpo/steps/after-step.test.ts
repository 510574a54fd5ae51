import { finishReasonAfter, isMismatched, type RunMoney, type TrainedStep } from './after-step.ts'

const trained = (step: number, more: Partial<TrainedStep> = {}): TrainedStep => ({
  step,
  rewardMean: 0.5,
  costNano: 1_000n,
  judgeCostNano: 100n,
  logprobGapMean: 0.01,
  adapterVersion: step - 1,
  ...more,
})
const stepsTo = (last: number, more: (step: number) => Partial<TrainedStep> = () => ({})) =>
  Array.from({ length: last }, (_, index) => trained(index + 1, more(index + 1)))
const money = (more: Partial<RunMoney> = {}): RunMoney => ({
  costNano: 10_000n,
  capNano: 100_000n,
  judgeCostNano: 1_000n,
  judgingCapNano: 10_000n,
  lookCostNano: 500n,
  ...more,
})
const endless = { plateau: null }

it('goes on while the maximum covers the next step', () => {
  expect(finishReasonAfter(endless, stepsTo(10), money())).toBeNull()
  expect(finishReasonAfter(endless, stepsTo(10), money({ costNano: 98_500n }))).toBeNull()
  expect(finishReasonAfter(endless, stepsTo(10), money({ costNano: 98_501n }))).toBe('max_cost')
})

it('keeps enough for the judges of the next step and of the last look', () => {
  expect(finishReasonAfter(endless, stepsTo(10), money({ judgeCostNano: 9_350n }))).toBeNull()
  expect(finishReasonAfter(endless, stepsTo(10), money({ judgeCostNano: 9_351n }))).toBe('max_cost')
})

it('needs no money for judges when there are none', () => {
  const free = stepsTo(3, () => ({ judgeCostNano: 0n }))
  expect(
    finishReasonAfter(endless, free, money({ judgeCostNano: 0n, judgingCapNano: 0n, lookCostNano: 0n })),
  ).toBeNull()
})

it('ends on a plateau, which two windows of steps show', () => {
  const plateau = { plateau: { steps: 5, minGain: 0.01 } }
  const rising = (step: number) => ({ rewardMean: step / 20 })
  expect(finishReasonAfter(plateau, stepsTo(9), money())).toBeNull()
  expect(finishReasonAfter(plateau, stepsTo(10), money())).toBe('plateau')
  expect(finishReasonAfter(plateau, stepsTo(10, rising), money())).toBeNull()
})

describe('a policy that does not match', () => {
  it.each([
    ['the engine does not have the new adapter', () => ({ adapterVersion: 0 })],
    ['logprobs differ', () => ({ logprobGapMean: 0.11 })],
  ])('is seen after three steps: %s', (_, more) => {
    expect(isMismatched(stepsTo(2, more))).toBe(false)
    expect(isMismatched([trained(1), trained(2), ...stepsTo(5, more).slice(2)])).toBe(true)
    expect(isMismatched([...stepsTo(4, more), trained(5)])).toBe(false)
  })

  it('is not seen where the trainer reports nothing and the adapter advances', () => {
    expect(isMismatched(stepsTo(9, () => ({ logprobGapMean: null })))).toBe(false)
  })
})
