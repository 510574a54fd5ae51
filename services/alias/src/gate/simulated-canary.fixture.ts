import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Verdict } from '@ratchet/contracts/criteria'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { armWith, judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import type { CountsByArm } from './arm-counts.ts'
import type { SegmentCounts } from './compare-segments.ts'
import { decideGate, type GateDecision } from './decide-gate.ts'
import { gateEvidence } from './gate-evidence.ts'
import { assumedArms, type ByArm, type GatePlan, type GradesByVerdict, minGradesPerArm, planGate } from './plan-gate.ts'
import { type GradeSums, weighGrades } from './weigh-grades.ts'

/** The truth about one arm. */
export interface SimulatedArm {
  /** Share of answers that people would fail. */
  readonly failRate: number
  /** Rates of the judge on the answers of this arm. */
  readonly tpr: number
  readonly tnr: number
  /** Of runs: share of the bad ones that never end. */
  readonly unfinished?: number
  /** Share of the bad ones in which a fallback answers a step. */
  readonly assisted?: number
  /** A bad one ends so many runs later than a good one. */
  readonly badTakes?: number
}

/** How runs are counted: as a gate does, or in a way that seems natural and is wrong. */
export type RunCounting =
  | 'runs'
  /** Each of ten steps is a sample. */
  | 'steps'
  /** Runs that do not end, or that a fallback helped with, do not count at all. */
  | 'only_own_ends'
  /** A run counts as soon as it has ended, before runs that began earlier. */
  | 'as_they_end'

export interface SimulatedCanary {
  readonly target: SimulatedArm
  readonly canary: SimulatedArm
  readonly settings?: Partial<AliasSettings>
  /** Grades that people give to each arm, at an even pace over the first two thirds of the traffic. */
  readonly grades: ByArm<number>
  /** `planned`: drawn as the gate's list of answers to grade does; `random`: drawn from all scored answers. */
  readonly drawn: 'planned' | 'random'
  /**
   * Whoever grades skips answers that do not flatter the canary; all offered ones are graded when absent. Skipped ones are
   * counted as the gate does, or not at all, which is wrong.
   */
  readonly skips?: { readonly of: 'canary' | 'both'; readonly isCounted: boolean }
  /** Scored answers of both arms until the end. */
  readonly answers: number
  /** Scored answers between two evaluations. */
  readonly everyAnswers: number
  /** For a judge of runs; every answer is a run. */
  readonly counting?: RunCounting
}

interface Stratum {
  rows: number
  drawn: number
  humanFails: number
  /** Answers that people skipped before the last graded one, and since. */
  skipped: number
  skippedSince: number
  /** Whether people would fail the answers that were not drawn yet. */
  readonly open: boolean[]
}

type Arm = 'target' | 'canary'
export interface Strata extends Readonly<Record<'fail' | 'pass', Stratum>> {
  unfinished: number
  assisted: number
}

/** A run that has begun. */
interface Begun {
  readonly arm: Arm
  readonly isBad: boolean
  readonly endsAt: number
}

export interface SimulatedEnd {
  /** The first action of the gate; null when it had none until the end. */
  readonly action: GateDecision['action']
  /** Scored answers until then. */
  readonly answers: number
}

/** One canary from start to end through the gate's own functions: verdicts, grades, and a decision at each evaluation. */
export function simulateCanary(world: SimulatedCanary, random: () => number): SimulatedEnd {
  const settings = settingsWith({ gate_mode: 'auto', canary_percent: 50, ...world.settings })
  const share = settings.canary_percent / 100
  const strata = { target: newStrata(), canary: newStrata() }
  const { counting } = world
  const judge = judgeWith(counting === undefined ? {} : { unit: 'trace' })
  let begun: readonly Begun[] = []
  let plan: GatePlan | null = null
  const rules = { promoteAfterMs: 0, gradesPerArm: minGradesPerArm }
  for (let answer = 1; answer <= world.answers; answer += 1) {
    const arm = random() < share ? 'canary' : 'target'
    const isBad = random() < world[arm].failRate
    begun = [...begun, { arm, isBad, endsAt: answer + (isBad ? (world[arm].badTakes ?? 0) : 0) }]
    const { counted, open } = takeCounted(begun, { answer, counting })
    for (const run of counted) addRun(strata[run.arm], { ...world[run.arm], isBad: run.isBad, counting }, random)
    begun = open
    if (answer % world.everyAnswers > 0) continue
    const done = Math.min(1, answer / (world.answers * (2 / 3)))
    if (world.grades.canary > 0) {
      // The service plans at each request; once is enough here, and faster.
      plan ??= planGate({ settings, assumed: assumedArms(judge, countsOf(strata).target) })
      for (const each of ['target', 'canary'] as const) {
        const count = Math.round(world.grades[each] * done)
        grade(
          strata[each],
          { count, plan: plan.grades[each], drawn: world.drawn, isLeftOut: leftOutOf(world, each) },
          random,
        )
      }
    }
    const evidence = gateEvidence({ settings, judge, arms: countsOf(strata, world.skips?.isCounted), segments: [] })
    const { action } = decideGate(evidence, { elapsedMs: hourMs, rules })
    if (action !== null) return { action, answers: answer }
  }
  return { action: null, answers: world.answers }
}

export function newStrata(): Strata {
  const empty = (): Stratum => ({ rows: 0, drawn: 0, humanFails: 0, skipped: 0, skippedSince: 0, open: [] })
  return { fail: empty(), pass: empty(), unfinished: 0, assisted: 0 }
}

interface Counting {
  readonly answer: number
  readonly counting: RunCounting | undefined
}

/** A gate counts runs in the order in which they began, up to the first that has not ended. */
function takeCounted(begun: readonly Begun[], { answer, counting }: Counting) {
  const hasEnded = ({ endsAt }: Begun) => endsAt <= answer
  if (counting === 'as_they_end') {
    return { counted: begun.filter(hasEnded), open: begun.filter((run) => !hasEnded(run)) }
  }
  const firstOpen = begun.findIndex((run) => !hasEnded(run))
  const end = firstOpen === -1 ? begun.length : firstOpen
  return { counted: begun.slice(0, end), open: begun.slice(end) }
}

interface CountedRun extends SimulatedArm {
  readonly isBad: boolean
  readonly counting: RunCounting | undefined
}

const stepsOfRun = 10

/** Adds a scored answer. */
export function addAnswer(strata: Strata, arm: SimulatedArm, random: () => number): void {
  addRun(strata, { ...arm, isBad: random() < arm.failRate, counting: undefined }, random)
}

function addRun(strata: Strata, run: CountedRun, random: () => number): void {
  const { isBad, counting, unfinished = 0, assisted = 0, tpr, tnr } = run
  if (isBad && unfinished > 0 && random() < unfinished) {
    if (counting !== 'only_own_ends') strata.unfinished += 1
    return
  }
  if (isBad && assisted > 0 && random() < assisted) {
    if (counting !== 'only_own_ends') strata.assisted += 1
    return
  }
  const isFailed = random() < (isBad ? tpr : 1 - tnr)
  const stratum = isFailed ? strata.fail : strata.pass
  // All steps of a bad run look bad, and all of a good one good.
  for (let step = 0; step < (counting === 'steps' ? stepsOfRun : 1); step += 1) {
    stratum.rows += 1
    stratum.open.push(isBad)
  }
}

interface Grading {
  /** Grades that the arm has after this. */
  readonly count: number
  readonly plan: GradesByVerdict
  readonly drawn: SimulatedCanary['drawn']
  /** Whether an offered answer gets no grade. */
  readonly isLeftOut: (isBad: boolean) => boolean
}

/** A bad answer of the canary does not flatter it, nor does a good one of the target. */
function leftOutOf({ skips }: SimulatedCanary, arm: Arm): Grading['isLeftOut'] {
  if (skips === undefined || (skips.of === 'canary' && arm === 'target')) return () => false
  return (isBad) => isBad === (arm === 'canary')
}

function grade({ fail, pass }: Strata, { count, plan, drawn, isLeftOut }: Grading, random: () => number): void {
  while (fail.drawn + pass.drawn < count) {
    const rows = fail.open.length + pass.open.length
    const isFail =
      drawn === 'random'
        ? random() * rows < fail.open.length
        : fail.drawn / Math.max(1, plan.fails) < pass.drawn / Math.max(1, plan.passes)
    const [first, second] = isFail ? [fail, pass] : [pass, fail]
    if (!drawOne(first, random, isLeftOut) && !drawOne(second, random, isLeftOut)) return
  }
}

export function drawOne(
  stratum: Stratum,
  random: () => number,
  isLeftOut: Grading['isLeftOut'] = () => false,
): boolean {
  const place = Math.floor(random() * stratum.open.length)
  const isBad = stratum.open[place]
  const last = stratum.open.pop()
  if (isBad === undefined || last === undefined) return false
  if (place < stratum.open.length) stratum.open[place] = last
  if (isLeftOut(isBad)) {
    stratum.skippedSince += 1
    return true
  }
  stratum.skipped += stratum.skippedSince
  stratum.skippedSince = 0
  stratum.drawn += 1
  if (isBad) stratum.humanFails += 1
  return true
}

export function countsOf(strata: Readonly<Record<Arm, Strata>>, areSkippedCounted = true): CountsByArm {
  const armOf = (arm: Arm) => {
    const { fail, pass, unfinished, assisted } = strata[arm]
    const sums = [...sumsOf(arm, 'fail', fail), ...sumsOf(arm, 'pass', pass)]
    return armWith({
      scored: fail.rows + pass.rows + unfinished,
      fails: fail.rows + unfinished,
      unfinished,
      assisted,
      graded: fail.drawn + pass.drawn,
      ...weighGrades(
        arm,
        sums.filter(({ skipped }) => areSkippedCounted || !skipped),
      ),
    })
  }
  return { target: armOf('target'), canary: armOf('canary') }
}

/** As the database counts them, with equal weights. */
function sumsOf(arm: Arm, verdict: Verdict, { drawn, humanFails, skipped }: Stratum): readonly GradeSums[] {
  const sums = (answers: number, fails: number, isSkipped: boolean) =>
    answers === 0
      ? []
      : [{ arm, verdict, skipped: isSkipped, answers, weights: answers, squares: answers, fail_weights: fails }]
  return [...sums(drawn, humanFails, false), ...sums(skipped, 0, true)]
}

export interface SimulatedSegments {
  /** Share of requests and fail rates of each segment. */
  readonly segments: readonly { readonly share: number; readonly target: number; readonly canary: number }[]
  readonly answers: number
  readonly everyAnswers: number
}

/** Names of the segments that the gate ever finds worse. The judge has 3 % errors on every answer. */
export function findWorseSegments(world: SimulatedSegments, random: () => number): ReadonlySet<string> {
  const settings = settingsWith({ canary_percent: 50 })
  const counts = world.segments.map((_, index) => ({
    segment: `segment ${index}`,
    place: index + 1,
    isRolledBack: false,
    target: { scored: 0, fails: 0 },
    canary: { scored: 0, fails: 0 },
  }))
  const found = new Set<string>()
  for (let answer = 1; answer <= world.answers; answer += 1) {
    const index = pick(world.segments, random())
    const arm = random() < 0.5 ? 'canary' : 'target'
    const scores = counts[index]?.[arm]
    if (scores === undefined) continue
    scores.scored += 1
    const isBad = random() < (world.segments[index]?.[arm] ?? 0)
    if (random() < (isBad ? 0.97 : 0.03)) scores.fails += 1
    if (answer % world.everyAnswers === 0) for (const name of worseIn(settings, counts)) found.add(name)
  }
  return found
}

function worseIn(settings: AliasSettings, segments: readonly SegmentCounts[]): readonly string[] {
  const arms = { target: armWith(), canary: armWith() }
  const evidence = gateEvidence({ settings, judge: judgeWith(), arms, segments })
  return evidence.segments.filter(({ isWorse }) => isWorse).map(({ segment }) => segment)
}

function pick(segments: SimulatedSegments['segments'], at: number): number {
  let upTo = 0
  return segments.findIndex(({ share }) => {
    upTo += share
    return at < upTo
  })
}
