import type { AliasSettings } from '@ratchet/contracts/aliases'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { armWith, judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import type { ArmCounts } from './arm-counts.ts'
import type { SegmentCounts } from './compare-segments.ts'
import { decideGate } from './decide-gate.ts'
import { gateEvidence } from './gate-evidence.ts'
import type { GateJudge } from './gate-judge.ts'

interface Case {
  readonly settings?: Partial<AliasSettings>
  readonly judge?: GateJudge | null
  readonly canary?: Partial<ArmCounts>
  readonly target?: Partial<ArmCounts>
  readonly hours?: number
  readonly segments?: readonly SegmentCounts[]
}

function decide({ settings = {}, judge = judgeWith(), canary = {}, target = {}, hours = 30, segments = [] }: Case) {
  const arms = { canary: armWith(canary), target: armWith(target) }
  return decideGate(gateEvidence({ settings: settingsWith(settings), judge, arms, segments }), {
    elapsedMs: hours * hourMs,
    rules: { promoteAfterMs: 24 * hourMs, gradesPerArm: 50 },
  })
}

const scores = (scored: number, fails: number) => ({ scored, fails })
/** Grades of drawn answers: how many of those judged FAIL, and of those judged PASS, people fail. */
const grades = (fails: number, passes: number, of = 200) => ({
  graded: 2 * of,
  gradedFails: { drawn: of, humanFails: fails },
  gradedPasses: { drawn: of, humanFails: passes },
})
const proven = { ...scores(5_000, 500), ...grades(180, 1) }
const equal = { canary: proven, target: proven }
const ungraded = { canary: scores(5_000, 500), target: scores(5_000, 500) }
const worse = { canary: scores(500, 150), target: scores(500, 25) }
const auto = { settings: { gate_mode: 'auto' as const } }

it.each<[string, Case, string, string | null]>([
  ['no verdicts yet', { hours: 1 }, 'collecting', null],
  ['ninety of a hundred samples', { canary: scores(90, 9), target: scores(900, 90), hours: 1 }, 'collecting', null],
  ['enough samples and no proof', { canary: scores(110, 11), target: scores(990, 99), hours: 1 }, 'healthy', null],
  ['an equal canary without grades', ungraded, 'healthy', null],
  ['an equal canary without grades', { ...ungraded, ...auto }, 'healthy', null],
  ['an equal canary without grades at the end', { ...ungraded, hours: 72 }, 'inconclusive', null],
  ['an equal canary', equal, 'promote_ready', null],
  [
    'an equal canary, even without a measured judge',
    { ...equal, judge: judgeWith({ tpr: null, tnr: null }) },
    'promote_ready',
    null,
  ],
  ['an equal canary', { ...equal, ...auto }, 'promoted', 'promote'],
  ['a worse canary', worse, 'rollback_recommended', null],
  ['a worse canary', { ...worse, ...auto }, 'rolled_back', 'roll_back'],
  [
    'a collapse among the first twenty',
    { canary: scores(20, 16), target: scores(180, 9), hours: 0.1, ...auto },
    'rolled_back',
    'roll_back',
  ],
  [
    'too few samples at half of the window',
    { canary: scores(20, 2), target: scores(200, 20), hours: 40 },
    'starved',
    null,
  ],
  ['too few samples at its end', { canary: scores(90, 9), target: scores(900, 90), hours: 72 }, 'expired', null],
  ['no proof until its end', { canary: scores(110, 11), target: scores(990, 99), hours: 72 }, 'inconclusive', null],
  ['a canary proven at the very end', { ...equal, hours: 72 }, 'promote_ready', null],
])('with %s (%j) the state is %s and the action %s', (_case, question, state, action) => {
  expect(decide(question)).toMatchObject({ state, action })
})

it.each<[string, Partial<Case>, RegExp]>([
  ['before a day is over', { hours: 23 }, /watched for 24 h/],
  ['on an untrusted judge', { judge: judgeWith({ trust: 'under-measured' }) }, /under-measured/],
  [
    'on a judge that is trusted at one calibration only',
    { judge: judgeWith({ cannotActReason: 'e-value' }) },
    /may not act/,
  ],
  ['on a flagged judge', { judge: judgeWith({ isFlagged: true }) }, /flagged/],
  ['on a judge over its cap', { judge: judgeWith({ isOverCap: true }) }, /spent/],
  ['on a retired judge', { judge: judgeWith({ isRetired: true }) }, /retired/],
  ['on a judge that cannot be read', { judge: judgeWith({ isAway: true }) }, /at the moment/],
])('does not promote by itself %s', (_case, question, reason) => {
  const decision = decide({ ...equal, ...auto, ...question })
  expect(decision).toMatchObject({ state: 'promote_ready', action: null })
  expect(decision.reason).toMatch(reason)
})

it.each<[string, Partial<ArmCounts>]>([
  ['twenty grades, although all agree with the judge', grades(9, 0, 10)],
  ['grades that a person picked', { graded: 400 }],
  ['grades of answers judged FAIL only', { gradedFails: { drawn: 400, humanFails: 360 } }],
  ['grades that show fails which the judge passed', grades(180, 15)],
])('does not promote a canary that its judge passes as often as the target, with %s', (_case, graded) => {
  const canary = { ...scores(5_000, 500), ...graded }
  expect(decide({ ...auto, canary, target: proven })).toMatchObject({ state: 'healthy', action: null })
})

it('says what grades are missing', () => {
  const canary = { ...scores(5_000, 500), ...grades(9, 0, 10) }
  expect(decide({ canary, target: proven }).reason).toContain(
    'People have graded 20 answers of the canary and 400 of the target that were drawn at random, of at least 50 each.',
  )
})

it('rolls back by grades what the judge does not see, also when the judge is not trusted', () => {
  const canary = { ...scores(5_000, 500), ...grades(180, 60) }
  const fooled = { ...auto, canary, target: proven, judge: judgeWith({ trust: 'misaligned' }) }
  expect(decide(fooled)).toMatchObject({ state: 'rolled_back', action: 'roll_back' })
})

it('does not roll back a canary whose style the judge fails, when grades of both arms say otherwise', () => {
  const canary = scores(5_000, 1_000)
  expect(decide({ ...auto, canary, target: proven })).toMatchObject({ action: 'roll_back' })
  const graded = { ...canary, ...grades(90, 1) }
  expect(decide({ ...auto, canary: graded, target: proven })).toMatchObject({ state: 'promoted', action: 'promote' })
  const agreeing = { ...canary, ...grades(180, 1) }
  expect(decide({ ...auto, canary: agreeing, target: proven })).toMatchObject({ action: 'roll_back' })
})

const seen = { isRolledBack: false, target: scores(400, 40) }
const worseInOne = [
  { ...seen, segment: 'seg_one', place: 1, canary: scores(400, 140) },
  { ...seen, segment: 'seg_two', place: 2, target: scores(4_000, 400), canary: scores(4_000, 400) },
]

it('does not promote a canary that is worse in one segment, and names it', () => {
  const decision = decide({ ...equal, segments: worseInOne })
  expect(decision).toMatchObject({ state: 'healthy', action: null })
  expect(decision.reason).toContain('worse by more than 0.05 in the segment seg_one')
  const judge = judgeWith({ trust: 'misaligned' })
  expect(decide({ ...equal, ...auto, judge, segments: worseInOne })).toMatchObject({ state: 'healthy', action: null })
})

it('rolls back only the segment in which the canary is worse, before it decides about the rest', () => {
  const decision = decide({ ...equal, ...auto, segments: worseInOne })
  expect(decision).toMatchObject({ state: 'healthy', action: 'roll_back_families', families: ['seg_one'] })
  const without = worseInOne.map((each) => ({ ...each, isRolledBack: each.segment === 'seg_one' }))
  expect(decide({ ...equal, ...auto, segments: without })).toMatchObject({ action: 'promote' })
})

it('takes no segment out of a split of runs, whose steps may be of several', () => {
  const settings = { ...auto.settings, canary_percent: 50 }
  const ofRuns = { ...equal, settings, judge: judgeWith({ unit: 'trace' }), segments: worseInOne }
  expect(decide(ofRuns)).toMatchObject({ state: 'healthy', action: null })
})

it('rolls back the canary when the rest is worse too', () => {
  const drop = { target: scores(4_000, 400), canary: scores(4_000, 1_200) }
  const segments = [worseInOne[0], { ...seen, segment: 'seg_two', place: 2, ...drop }].flatMap((each) => each ?? [])
  expect(decide({ ...drop, ...auto, segments })).toMatchObject({ state: 'rolled_back', action: 'roll_back' })
})

it('rolls back the canary when the worse segment has all of its answers', () => {
  const drop = { target: scores(400, 40), canary: scores(400, 160) }
  const segments = [{ ...seen, segment: 'seg_one', place: 1, ...drop }]
  expect(decide({ ...drop, ...auto, segments })).toMatchObject({ state: 'rolled_back', action: 'roll_back' })
})

it('does not roll back by itself on verdicts of an untrusted judge, but does on a guard', () => {
  const judge = judgeWith({ trust: 'misaligned' })
  expect(decide({ ...worse, ...auto, judge })).toMatchObject({ state: 'rollback_recommended', action: null })
  const guard = { max_error_rate_increase: 0.01, max_latency_ratio: null, max_cost_ratio: null }
  const ended = (errors: number) => ({ errors, latencies: new Map([[95, 500 - errors]]) })
  const failing = { canary: ended(200), target: ended(5) }
  const settings = { ...auto.settings, gate_guard: guard }
  expect(decide({ ...failing, settings, judge, hours: 1 })).toMatchObject({ state: 'rolled_back', action: 'roll_back' })
})

it('decides nothing while the sizes of the arms do not match the split', () => {
  const uneven = { canary: { ...equal.canary, assigned: 900 }, target: { ...equal.target, assigned: 9_400 } }
  expect(decide(uneven)).toMatchObject({ state: 'inconclusive', action: null })
  expect(decide(uneven).reason).toContain('srm')
  const even = { canary: { ...equal.canary, assigned: 1_000 }, target: { ...equal.target, assigned: 9_300 } }
  expect(decide(even)).toMatchObject({ state: 'promote_ready' })
  expect(decide({ ...uneven, settings: { sticky_by: 'trace' } })).toMatchObject({ state: 'promote_ready' })
})

it('corrects the measured drop for the errors of the judge', () => {
  // Measured pass rates are 0.90 and 0.85. With J = 0.5 the true drop is 0.10.
  const arms = { canary: armWith(scores(4_000, 600)), target: armWith(scores(4_000, 400)) }
  const weak = judgeWith({ tpr: 0.7, tnr: 0.8 })
  const settings = settingsWith()
  expect(gateEvidence({ settings, judge: weak, arms, segments: [] }).difference?.estimate).toBeCloseTo(-0.1, 10)
  expect(gateEvidence({ settings, judge: null, arms, segments: [] }).difference?.estimate).toBeCloseTo(-0.05, 10)
})

it('names logging as a cause only when the first answers have had the time to be selected', () => {
  const served = { canary: { served: 300 }, target: { served: 300 } }
  expect(decide({ ...served, hours: 0.02 }).reason).not.toContain('logging')
  expect(decide({ ...served, hours: 1 }).reason).toContain('logging')
})

describe('a canary that fails before it can be judged', () => {
  const answered = (count: number, errors: number) => ({
    latencies: new Map([[10, count]]),
    served: count + errors,
    errors,
  })

  it('is not promoted when its requests fail, and neither arm suffers from equal failures', () => {
    const failing = { ...proven, ...answered(5_000, 1_500) }
    const sound = { ...proven, ...answered(5_000, 50) }
    expect(decide({ ...auto, canary: failing, target: sound }).action).not.toBe('promote')
    expect(decide({ ...auto, canary: sound, target: sound }).action).toBe('promote')
  })

  it('is not promoted when many of its answers cannot be judged, unless the judge fails on both arms', () => {
    const unjudged = { ...proven, unjudged: 1_250 }
    expect(decide({ ...auto, canary: unjudged, target: proven }).action).not.toBe('promote')
    expect(decide({ ...auto, canary: { ...proven, unjudged: 100 }, target: { ...proven, unjudged: 100 } }).action).toBe(
      'promote',
    )
    expect(decide({ ...auto, canary: worse.canary, target: { ...worse.target, unjudged: 5_000 } }).action).not.toBe(
      'promote',
    )
  })
})
