import type { GateGuard } from '@ratchet/contracts/aliases'
import { latencyBucket } from '@ratchet/stats/latency-bucket'
import { armWith } from '../aliases/alias.fixture.ts'
import type { ArmCounts } from './arm-counts.ts'
import { checkGuard } from './check-guard.ts'

const nothing: GateGuard = { max_error_rate_increase: null, max_latency_ratio: null, max_cost_ratio: null }

function check(guard: Partial<GateGuard>, canary: Partial<ArmCounts>, target: Partial<ArmCounts>) {
  const [first] = checkGuard({
    guard: { ...nothing, ...guard },
    canary: armWith(canary),
    target: armWith(target),
    alpha: 0.05,
  })
  return first
}

/** Answers that all have the same latency and cost. */
function answers(count: number, { ms = 100, usd = 0.001 } = {}): Partial<ArmCounts> {
  return {
    served: count,
    latencies: new Map([[latencyBucket(ms), count]]),
    costUsd: count * usd,
    costUsdSquared: count * usd ** 2,
  }
}

it('checks nothing without a limit', () => {
  expect(checkGuard({ guard: nothing, canary: armWith(), target: armWith(), alpha: 0.05 })).toEqual([])
})

it.each([
  ['as many errors as the target', 10, 10, false],
  ['more errors, but by chance', 14, 10, false],
  ['many more errors', 120, 10, true],
])('an error rate with %s of 500 is breached: %s', (_case, errors, targetErrors, breached) => {
  const guard = { max_error_rate_increase: 0.02 }
  const ended = (failed: number) => ({ ...answers(500 - failed), errors: failed })
  const found = check(guard, ended(errors), ended(targetErrors))
  expect(found).toMatchObject({ name: 'error_rate_increase', limit: 0.02, breached })
})

it.each([
  [100, 120, false],
  [100, 260, true],
])('with %d ms of the target, a canary with %d ms breaches a ratio of 1.5: %s', (ms, canaryMs, breached) => {
  const found = check({ max_latency_ratio: 1.5 }, answers(1_000, { ms: canaryMs }), answers(1_000, { ms }))
  expect(found).toMatchObject({ name: 'latency_ratio', breached })
  expect(found?.estimate).toBeCloseTo(canaryMs / ms, 0)
})

it('a few answers breach no latency ratio, and enough answers do', () => {
  const guard = { max_latency_ratio: 1.5 }
  expect(check(guard, answers(1, { ms: 9_000 }), answers(1_000))).toMatchObject({ breached: false })
  expect(check(guard, answers(1_000, { ms: 9_000 }), answers(20))).toMatchObject({ cs: null, breached: false })
  expect(check(guard, answers(60, { ms: 9_000 }), answers(1_000))).toMatchObject({
    cs: [expect.any(Number), null],
    breached: true,
  })
})

it.each([
  [0.001, 0.0011, false],
  [0.001, 0.01, true],
  [0.000_000_1, 0.000_000_5, true],
])('with $%d of the target, a canary at $%d breaches a ratio of 2: %s', (usd, canaryUsd, breached) => {
  const found = check({ max_cost_ratio: 2 }, answers(500, { usd: canaryUsd }), answers(500, { usd }))
  expect(found).toMatchObject({ name: 'cost_ratio', breached })
})

it('a free target has no cost ratio', () => {
  expect(check({ max_cost_ratio: 2 }, answers(500), answers(500, { usd: 0 }))).toMatchObject({
    estimate: null,
    breached: false,
  })
})
