import { hourMs } from '@ratchet/service-kit/timing/durations'
import { armWith, judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import { noArms } from './arm-counts.ts'
import { assumedArms, planGate, scoredPerHour } from './plan-gate.ts'
import { planBefore, planReply } from './plan-reply.ts'

const assumed = { failRate: 0.1, tpr: 0.97, tnr: 0.97 }
const even = settingsWith({ canary_percent: 50 })
const sumOf = ({ fails, passes }: { readonly fails: number; readonly passes: number }) => fails + passes

describe('planGate', () => {
  it('needs a few thousand verdicts and a few hundred grades for a margin of 5 points', () => {
    const { scored, grades } = planGate({ settings: even, assumed })
    expect(scored.target).toBe(scored.canary)
    expect(scored.canary).toBeGreaterThan(1_500)
    expect(scored.canary).toBeLessThan(4_000)
    expect(sumOf(grades.canary)).toBeGreaterThan(150)
    expect(sumOf(grades.canary)).toBeLessThan(500)
  })

  it('wants grades of passed answers mainly from the canary, whose fails the judge may miss', () => {
    const { grades } = planGate({ settings: even, assumed })
    expect(grades.canary.passes).toBeGreaterThan(2 * grades.target.passes)
  })

  it('needs more for a smaller margin, a weaker judge and a smaller share', () => {
    const base = planGate({ settings: even, assumed })
    const strict = planGate({ settings: { ...even, gate_rollback_threshold: 0.03 }, assumed })
    const weak = planGate({ settings: even, assumed: { ...assumed, tpr: 0.85, tnr: 0.9 } })
    const small = planGate({ settings: { ...even, canary_percent: 5 }, assumed })
    expect(strict.scored.canary).toBeGreaterThan(2 * base.scored.canary)
    expect(sumOf(strict.grades.canary)).toBeGreaterThan(sumOf(base.grades.canary))
    expect(sumOf(weak.grades.canary)).toBeGreaterThan(sumOf(base.grades.canary))
    expect(small.scored.target).toBeGreaterThan(5 * base.scored.target)
  })

  it('never needs fewer verdicts than the minimum, nor fewer grades than are valid', () => {
    const lax = { ...even, gate_rollback_threshold: 0.5, gate_min_samples_per_arm: 7_000 }
    const { scored, grades } = planGate({ settings: lax, assumed })
    expect(scored).toEqual({ target: 7_000, canary: 7_000 })
    expect(Math.min(sumOf(grades.target), sumOf(grades.canary))).toBeGreaterThanOrEqual(50)
  })

  it.each([0, 1])('ends for a margin of %f', (margin) => {
    const { scored } = planGate({ settings: { ...even, gate_rollback_threshold: margin }, assumed })
    expect(Number.isSafeInteger(scored.canary)).toBe(true)
  })
})

describe('what is assumed', () => {
  it('is corrected for the judge, once the target has fifty verdicts', () => {
    const judge = judgeWith()
    expect(assumedArms(judge, armWith({ scored: 49, fails: 20 })).failRate).toBe(0.1)
    expect(assumedArms(judge, armWith({ scored: 1_000, fails: 218 })).failRate).toBeCloseTo(0.2, 10)
    expect(assumedArms(null, null)).toEqual({ failRate: 0.1, tpr: 0.9, tnr: 0.9 })
  })
})

describe('the time', () => {
  const latencies = new Map([[95, 600]])
  const busy = { target: armWith({ latencies }), canary: armWith({ latencies }) }

  it('follows from the traffic and the share that the judge scores, then from its scores', () => {
    expect(scoredPerHour({ arms: busy, elapsedMs: 2 * hourMs, percent: 10, unit: 'request' })).toBe(60)
    const scored = { target: armWith({ latencies, scored: 30 }), canary: armWith({ latencies, scored: 30 }) }
    expect(scoredPerHour({ arms: scored, elapsedMs: 2 * hourMs, percent: 10, unit: 'request' })).toBe(30)
    expect(scoredPerHour({ arms: noArms(even), elapsedMs: hourMs, percent: 10, unit: 'request' })).toBeNull()
    expect(scoredPerHour({ arms: busy, elapsedMs: 1_000, percent: 10, unit: 'request' })).toBeNull()
  })

  it('of runs follows from the runs that were counted, because requests do not say how many runs they are', () => {
    const runs = { arms: busy, elapsedMs: 2 * hourMs, percent: 10, unit: 'trace' } as const
    expect(scoredPerHour(runs)).toBeNull()
    const scored = { target: armWith({ latencies, scored: 30 }), canary: armWith({ latencies, scored: 10 }) }
    expect(scoredPerHour({ ...runs, arms: scored })).toBe(20)
  })

  it('is known before the start, for a canary of ten percent when there is no split yet', () => {
    const at = new Date('2026-11-24T12:00:00Z')
    const epoch = { startedAt: new Date(at.getTime() - hourMs) }
    const settings = settingsWith({ canary_percent: 0 })
    const planned = { settings, judge: judgeWith(), shadow: null, epoch, at, failRate: null }
    const plan = planBefore({ ...planned, arms: busy })
    expect(plan).toMatchObject({ scored_per_hour: 1_200, ready_at: null, missing: { scored: plan.scored } })
    expect(plan.hours).toBeCloseTo(plan.scored.canary / 120, 1)
    expect(plan.fits_window).toBe(plan.hours! <= 72)
    expect(planBefore({ ...planned, arms: noArms(even) })).toMatchObject({ hours: null, fits_window: null })
    expect(planBefore({ ...planned, arms: busy, failRate: 0.3 }).assumed.fail_rate).toBe(0.3)
  })

  it('shrinks while the gate runs, as does what is missing', () => {
    const plan = planGate({ settings: even, assumed })
    const startedAt = new Date('2026-11-24T00:00:00Z')
    const at = new Date(startedAt.getTime() + 10 * hourMs)
    const graded = { gradedFails: { drawn: 1_000, humanFails: 0 }, gradedPasses: { drawn: 10, humanFails: 0 } }
    const done = armWith({ scored: plan.scored.target + 5, ...graded })
    const arms = { target: done, canary: armWith({ scored: plan.scored.canary - 100 }) }
    const running = { arms, startedAt, at }
    const paces = { scoredPerHour: 200, requestsPerHour: 2_000, shadow: null }
    const shown = planReply({ plan, judge: judgeWith(), settings: even, assumed, ...paces, running })
    expect(shown.cost).toMatchObject({ usd_per_verdict: 0.002, judging_usd: 0.2, mirroring_usd: 0 })
    expect(shown.missing).toEqual({
      scored: { target: 0, canary: 100 },
      grades: { target: plan.grades.target.passes - 10, canary: sumOf(plan.grades.canary) },
    })
    expect(shown).toMatchObject({ hours: 1, ready_at: '2026-11-24T11:00:00.000Z', fits_window: true })
  })
})
