import { brokenPromise, describeRates } from './describe-rates.ts'

it('accepts a rate that chance explains, and no other', () => {
  const promise = { atMost: 0.025 }
  expect(brokenPromise(promise, { runs: 1_000, happened: 30 })).toBeNull()
  expect(brokenPromise(promise, { runs: 1_000, happened: 45 })).not.toBeNull()
  expect(brokenPromise({ atLeast: 0.8 }, { runs: 1_000, happened: 780 })).toBeNull()
  expect(brokenPromise({ atLeast: 0.8 }, { runs: 1_000, happened: 750 })).not.toBeNull()
})

describeRates('a coin', [
  {
    title: 'falls on one side in half of the runs',
    atLeast: 0.5,
    atMost: 0.5,
    runs: 500,
    fullRuns: 50_000,
    happens: (random) => random() < 0.5,
  },
])
