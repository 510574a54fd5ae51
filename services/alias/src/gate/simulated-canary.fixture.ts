import type { AliasSettings } from '@ratchet/contracts/aliases'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { armWith, judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import type { CountsByArm } from './arm-counts.ts'
import type { SegmentCounts } from './compare-segments.ts'
import { decideGate, type GateDecision } from './decide-gate.ts'
import { gateEvidence } from './gate-evidence.ts'
import { assumedArms, type ByArm, type GatePlan, type GradesByVerdict, minGradesPerArm, planGate } from './plan-gate.ts'

/** The truth about one arm. */
export interface SimulatedArm {
  /** Share of answers that people would fail. */
  readonly failRate: number
  /** Rates of the judge on the answers of this arm. */
  readonly tpr: number
  readonly tnr: number
}

export interface SimulatedCanary {
  readonly target: SimulatedArm
  readonly canary: SimulatedArm
  readonly settings?: Partial<AliasSettings>
  /** Grades that people give to each arm, at an even pace over the first two thirds of the traffic. */
  readonly grades: ByArm<number>
  /** `planned`: drawn as the gate's list of answers to grade does; `random`: drawn from all scored answers. */
  readonly drawn: 'planned' | 'random'
  /** Scored answers of both arms until the end. */
  readonly answers: number
  /** Scored answers between two evaluations. */
  readonly everyAnswers: number
}

interface Stratum {
  rows: number
  drawn: number
  humanFails: number
  /** Whether people would fail the answers that were not drawn yet. */
  readonly open: boolean[]
}

type Arm = 'target' | 'canary'
type Strata = Readonly<Record<'fail' | 'pass', Stratum>>

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
  const judge = judgeWith()
  let plan: GatePlan | null = null
  const rules = { promoteAfterMs: 0, gradesPerArm: minGradesPerArm }
  for (let answer = 1; answer <= world.answers; answer += 1) {
    const arm = random() < share ? 'canary' : 'target'
    addAnswer(strata[arm], world[arm], random)
    if (answer % world.everyAnswers > 0) continue
    const done = Math.min(1, answer / (world.answers * (2 / 3)))
    if (world.grades.canary > 0) {
      // The service plans at each request; once is enough here, and faster.
      plan ??= planGate({ settings, assumed: assumedArms(judge, countsOf(strata).target) })
      for (const each of ['target', 'canary'] as const) {
        const count = Math.round(world.grades[each] * done)
        grade(strata[each], { count, plan: plan.grades[each], drawn: world.drawn }, random)
      }
    }
    const evidence = gateEvidence({ settings, judge, arms: countsOf(strata), segments: [] })
    const { action } = decideGate(evidence, { elapsedMs: hourMs, rules })
    if (action !== null) return { action, answers: answer }
  }
  return { action: null, answers: world.answers }
}

function newStrata(): Strata {
  const empty = (): Stratum => ({ rows: 0, drawn: 0, humanFails: 0, open: [] })
  return { fail: empty(), pass: empty() }
}

function addAnswer(strata: Strata, { failRate, tpr, tnr }: SimulatedArm, random: () => number): void {
  const isBad = random() < failRate
  const isFailed = random() < (isBad ? tpr : 1 - tnr)
  const stratum = isFailed ? strata.fail : strata.pass
  stratum.rows += 1
  stratum.open.push(isBad)
}

interface Grading {
  /** Grades that the arm has after this. */
  readonly count: number
  readonly plan: GradesByVerdict
  readonly drawn: SimulatedCanary['drawn']
}

function grade({ fail, pass }: Strata, { count, plan, drawn }: Grading, random: () => number): void {
  while (fail.drawn + pass.drawn < count) {
    const rows = fail.open.length + pass.open.length
    const isFail =
      drawn === 'random'
        ? random() * rows < fail.open.length
        : fail.drawn / Math.max(1, plan.fails) < pass.drawn / Math.max(1, plan.passes)
    const [first, second] = isFail ? [fail, pass] : [pass, fail]
    if (!drawOne(first, random) && !drawOne(second, random)) return
  }
}

function drawOne(stratum: Stratum, random: () => number): boolean {
  const place = Math.floor(random() * stratum.open.length)
  const isBad = stratum.open[place]
  const last = stratum.open.pop()
  if (isBad === undefined || last === undefined) return false
  if (place < stratum.open.length) stratum.open[place] = last
  stratum.drawn += 1
  if (isBad) stratum.humanFails += 1
  return true
}

function countsOf(strata: Readonly<Record<Arm, Strata>>): CountsByArm {
  const armOf = ({ fail, pass }: Strata) =>
    armWith({
      scored: fail.rows + pass.rows,
      fails: fail.rows,
      graded: fail.drawn + pass.drawn,
      gradedFails: { drawn: fail.drawn, humanFails: fail.humanFails },
      gradedPasses: { drawn: pass.drawn, humanFails: pass.humanFails },
    })
  return { target: armOf(strata.target), canary: armOf(strata.canary) }
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
