import type { SplitToWeighBody as SplitToWeigh, WeighedArm } from '@ratchet/contracts/internal-split'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { judgeWith } from '../aliases/alias.fixture.ts'
import { weighSplit } from './weigh-split.ts'

const arm = (more: Partial<WeighedArm> = {}): WeighedArm => ({
  assigned: 0,
  scored: 0,
  fails: 0,
  open: 0,
  unjudged: 0,
  left_out: 0,
  graded: 0,
  grades: [],
  latencies: {},
  cost_usd: 0,
  cost_usd_squared: 0,
  costed: 0,
  failures: {},
  ...more,
})
const scored = (calls: number, fails: number, more: Partial<WeighedArm> = {}) =>
  arm({ assigned: calls, scored: calls, fails, ...more })
/** People failed all of those that the judge failed, and none of the others. */
const graded = (of: number): Partial<WeighedArm> => ({
  graded: 2 * of,
  grades: (['pass', 'fail'] as const).map((verdict) => ({
    verdict,
    skipped: false,
    answers: of,
    weights: of,
    squares: of,
    fail_weights: verdict === 'fail' ? of : 0,
  })),
})

function weigh(more: Partial<SplitToWeigh>, judge: ReturnType<typeof judgeWith> | null = judgeWith({ unit: 'trace' })) {
  const split: SplitToWeigh = {
    criterion_id: 'crit_00000000000070008000000000000001',
    mode: 'auto',
    min_samples_per_arm: 100,
    rollback_threshold: 0.05,
    confidence: 0.95,
    window_hours: 168,
    guard: { max_increase: {}, max_latency_ratio: null, max_cost_ratio: null },
    canary_percent: 50,
    elapsed_ms: 30 * hourMs,
    target: arm(),
    canary: arm(),
    ...more,
  }
  return weighSplit(split, { judge, rules: { promoteAfterMs: 24 * hourMs, gradesPerArm: 50 } })
}

it('rolls back what the judge proves worse, and promotes what grades prove not to be', () => {
  expect(weigh({ target: scored(200, 10), canary: scored(200, 70) })).toMatchObject({
    state: 'rolled_back',
    action: 'roll_back',
    instrument: 1,
    trust: 'trustworthy',
  })
  const equal = scored(4_000, 400, graded(300))
  expect(weigh({ target: equal, canary: equal })).toMatchObject({ state: 'promoted', action: 'promote' })
  expect(weigh({ target: equal, canary: scored(4_000, 400) })).toMatchObject({ state: 'healthy', action: null })
  expect(weigh({ target: scored(200, 10), canary: scored(200, 70) }, null)).toMatchObject({
    state: 'rollback_recommended',
    action: null,
    instrument: null,
  })
})

it('counts what was left out of the canary as failed when it is to be promoted', () => {
  const equal = scored(4_000, 400, graded(300))
  const leaving = { ...equal, assigned: 4_400, left_out: 400 }
  expect(weigh({ target: leaving, canary: leaving })).toMatchObject({ state: 'healthy', action: null })
})

it('rolls back for shares, latencies and costs above their limits, each by its own name', () => {
  const failing = (having: number) => ({ failures: { short_increase: { having, of: 1_000 } } })
  const guard = { max_increase: { short_increase: 0.05 }, max_latency_ratio: null, max_cost_ratio: null }
  const short = weigh({ guard, target: arm(failing(10)), canary: arm(failing(200)) })
  expect(short).toMatchObject({ action: 'roll_back', guard: [{ name: 'short_increase', breached: true }] })
  expect(short.reason).toContain('short_increase')
  const slow = weigh({
    guard: { max_increase: {}, max_latency_ratio: 1.5, max_cost_ratio: 1.5 },
    target: arm({ latencies: { 130: 500 }, cost_usd: 5, cost_usd_squared: 0.05, costed: 500 }),
    canary: arm({ latencies: { 150: 500 }, cost_usd: 20, cost_usd_squared: 0.8, costed: 500 }),
  })
  expect(slow.guard.map(({ name, breached }) => [name, breached])).toEqual([
    ['latency_ratio', true],
    ['cost_ratio', true],
  ])
})
