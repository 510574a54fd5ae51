import type { AliasSettings, GateState } from '@ratchet/contracts/aliases'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { armWith, judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import type { ArmCounts } from './arm-counts.ts'
import { decideGate } from './decide-gate.ts'
import { gateEvidence } from './gate-evidence.ts'

interface Rollout {
  readonly seed: string
  readonly settings: AliasSettings
  /** Chance that an answer is good. */
  readonly targetQuality: number
  readonly canaryQuality: number
  /** Verdicts of both arms in an hour. */
  readonly perHour: number
}

const judge = judgeWith()
const evaluateEveryMs = hourMs / 4
const acted: ReadonlySet<GateState> = new Set(['rolled_back', 'promoted'])

/** Simulates a canary from start to end: traffic, a judge that errs, and evaluations of the gate. */
function rollOut({ seed, settings, targetQuality, canaryQuality, perHour }: Rollout) {
  const random = randomFromSeed(seed)
  const arms = { target: { ...armWith() }, canary: { ...armWith() } }
  const share = settings.canary_percent / 100
  const score = () => {
    const isCanary = random() < share
    const arm = isCanary ? arms.canary : arms.target
    arm.assigned += 1
    const isGood = random() < (isCanary ? canaryQuality : targetQuality)
    // The judge passes 3 % of the bad answers and fails 3 % of the good ones.
    addGraded(arm, { isGood, isFailed: random() < (isGood ? 0.03 : 0.97) })
  }
  for (let elapsedMs = evaluateEveryMs; ; elapsedMs += evaluateEveryMs) {
    for (let each = 0; each < perHour * (evaluateEveryMs / hourMs); each += 1) score()
    const rules = { promoteAfterMs: 24 * hourMs, gradesPerArm: 50 }
    const { state } = decideGate(gateEvidence({ settings, judge, arms, segments: [] }), { elapsedMs, rules })
    if (acted.has(state) || elapsedMs >= settings.gate_window_hours * hourMs)
      return { state, elapsedMs, scored: arms.canary.scored }
  }
}

type Counting = { -readonly [Field in keyof ArmCounts]: ArmCounts[Field] }

/** Adds a scored answer that a person grades too. The simulation beside this one has few grades. */
function addGraded(arm: Counting, { isGood, isFailed }: { readonly isGood: boolean; readonly isFailed: boolean }) {
  arm.scored += 1
  if (isFailed) arm.fails += 1
  const side = isFailed ? 'gradedFails' : 'gradedPasses'
  const { drawn, humanFails } = arm[side]
  arm[side] = { drawn: drawn + 1, humanFails: humanFails + (isGood ? 0 : 1) }
}

function rollOutMany(count: number, rollout: Omit<Rollout, 'seed'>) {
  const ends = Array.from({ length: count }, (_, run) => rollOut({ ...rollout, seed: `rollout ${run}` }))
  return (state: GateState) => ends.filter((end) => end.state === state).length
}

const auto = (percent: number) => settingsWith({ gate_mode: 'auto', canary_percent: percent })

/** One-sided error rate of a 95 % sequence. */
const nominal = 0.025

it.each([10, 50])(
  'rolls back fewer identical models than the nominal 2.5 %% of 300 at a canary of %d %%',
  (percent) => {
    const quality = { targetQuality: 0.9, canaryQuality: 0.9 }
    const ended = rollOutMany(300, { settings: auto(percent), ...quality, perHour: 80 })
    expect(ended('rolled_back')).toBeLessThan(300 * nominal)
    expect(ended('promoted')).toBeGreaterThan(0)
  },
)

/** In 999 of 1,000 runs an event of 2.5 % happens at most this often among 300 rollouts. */
const withinChance = 16

it.each([
  [0.98, 0.95, 0],
  [0.98, 0.95, 0.01],
  [0.95, 0.9, 0.02],
  [0.99, 0.05, 0],
])(
  'keeps the error rate of rollbacks when both pass rates are %f, the canary share %f and the threshold %f',
  (quality, share, margin) => {
    const settings = { ...auto(100 * share), gate_rollback_threshold: margin }
    let rolledBack = 0
    for (let run = 0; run < 300; run += 1) {
      if (decidesWrongly({ seed: `uneven ${run}`, settings, quality, canaryQuality: quality, wrong: 'rolled_back' }))
        rolledBack += 1
    }
    expect(rolledBack).toBeLessThanOrEqual(withinChance)
  },
)

it.each([
  [0.99, 0.94, 0.1, 100],
  [0.99, 0.94, 0.05, 50],
  [0.9, 0.85, 0.5, 100],
])(
  'keeps the error rate of promotions when the target passes %f and the canary %f, just the threshold less',
  (quality, canaryQuality, share, minimum) => {
    const settings = { ...auto(100 * share), gate_min_samples_per_arm: minimum }
    let promoted = 0
    for (let run = 0; run < 300; run += 1) {
      if (decidesWrongly({ seed: `worse ${run}`, settings, quality, canaryQuality, wrong: 'promoted' })) promoted += 1
    }
    expect(promoted).toBeLessThanOrEqual(withinChance)
  },
)

interface Trial {
  readonly seed: string
  readonly settings: AliasSettings
  readonly quality: number
  readonly canaryQuality: number
  readonly wrong: GateState
}

/** Whether a gate with a perfect judge decides wrongly. It is evaluated after every tenth verdict of the smaller arm. */
function decidesWrongly({ seed, settings, quality, canaryQuality, wrong }: Trial): boolean {
  const random = randomFromSeed(seed)
  const arms = { target: { ...armWith() }, canary: { ...armWith() } }
  const share = settings.canary_percent / 100
  const minimum = Math.min(share, 1 - share)
  const counts = { settings, judge: judgeWith({ tpr: 1, tnr: 1 }), arms, segments: [] }
  const rules = { promoteAfterMs: 0, gradesPerArm: 50 }
  for (let verdict = 1; verdict <= 300 / minimum; verdict += 1) {
    const isCanary = random() < share
    const isGood = random() < (isCanary ? canaryQuality : quality)
    addGraded(isCanary ? arms.canary : arms.target, { isGood, isFailed: !isGood })
    if (verdict % Math.round(10 / minimum) > 0) continue
    const { state } = decideGate(gateEvidence(counts), { elapsedMs: 1, rules })
    if (state === wrong) return true
  }
  return false
}

it('plain intervals, read at every evaluation, would exceed the nominal error rate', () => {
  // A plain interval is valid for one reading only, which is why gates use sequences.
  const settings = { ...auto(50), gate_rollback_threshold: 0 }
  let fooled = 0
  for (let run = 0; run < 300; run += 1) {
    const random = randomFromSeed(`peeking ${run}`)
    const arms = { target: { ...armWith() }, canary: { ...armWith() } }
    let isFooled = false
    for (let evaluation = 0; evaluation < 40 && !isFooled; evaluation += 1) {
      for (let each = 0; each < 50; each += 1) {
        const arm: Counting = random() < 0.5 ? arms.canary : arms.target
        arm.scored += 1
        if (random() < 0.1) arm.fails += 1
      }
      const { difference } = gateEvidence({ settings, judge: null, arms, segments: [] })
      isFooled = arms.canary.scored >= 50 && difference !== null && difference.ci.high < 0
    }
    if (isFooled) fooled += 1
  }
  expect(fooled).toBeGreaterThan(300 * nominal)
})

it('rolls back a much worse canary in at minimum 99 of 100 rollouts, and promotes it in none', () => {
  const ended = rollOutMany(100, { settings: auto(50), targetQuality: 0.97, canaryQuality: 0.7, perHour: 40 })
  expect(ended('rolled_back')).toBeGreaterThanOrEqual(99)
  expect(ended('promoted')).toBe(0)
})

it('promotes an equal canary with enough traffic in at minimum 95 of 100 rollouts', () => {
  const ended = rollOutMany(100, { settings: auto(50), targetQuality: 0.9, canaryQuality: 0.9, perHour: 120 })
  expect(ended('promoted')).toBeGreaterThanOrEqual(95)
})

it('promotes a better canary, but not before 24 hours', () => {
  const end = rollOut({ seed: 'better', settings: auto(50), targetQuality: 0.85, canaryQuality: 0.95, perHour: 100 })
  expect(end.state).toBe('promoted')
  expect(end.elapsedMs).toBeGreaterThanOrEqual(24 * hourMs)
})

it('does not act on a canary with too little traffic', () => {
  const ended = rollOutMany(20, { settings: auto(10), targetQuality: 0.9, canaryQuality: 0.9, perHour: 4 })
  expect(ended('expired')).toBe(20)
})
