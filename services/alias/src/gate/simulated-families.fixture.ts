import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import type { SegmentCounts } from './compare-segments.ts'
import { decideGate, type GateDecision } from './decide-gate.ts'
import { gateEvidence } from './gate-evidence.ts'
import { assumedArms, type ByArm, type GatePlan, minGradesPerArm, planGate } from './plan-gate.ts'
import { addAnswer, countsOf, drawOne, newStrata, type Strata } from './simulated-canary.fixture.ts'

/** The truth about one prompt family. */
export interface SimulatedFamily {
  /** Share of requests. */
  readonly share: number
  /** Shares of answers that people would fail. */
  readonly target: number
  readonly canary: number
  /** Scored answers of all families before it appears; from the beginning when absent. */
  readonly from?: number
}

export interface SimulatedFamilies {
  readonly families: readonly SimulatedFamily[]
  readonly settings?: Partial<AliasSettings>
  /** Grades that people give to each arm at an even pace over the first two thirds, drawn as the gate's list does. */
  readonly grades: number
  /** Scored answers of both arms until the end. */
  readonly answers: number
  /** Scored answers between two evaluations. */
  readonly everyAnswers: number
}

export interface FamiliesEnd {
  /** How the split ended; null when it still runs. */
  readonly action: GateDecision['action']
  /** Scored answers after which the gate took each family out of the split, by the place of the family. */
  readonly rolledBack: ReadonlyMap<number, number>
}

/** The answers of one family. */
interface FamilyAnswers {
  readonly family: number
  readonly arms: ByArm<Strata>
}

const rules = { promoteAfterMs: 0, gradesPerArm: minGradesPerArm }
/** The judge errs on 3 % of the answers of each kind, which is what the gate believes of it. */
const judged = { tpr: 0.97, tnr: 0.97 }

/** One canary from start to end, in which the gate may take families out of the split and continue with the others. */
export function simulateFamilies(world: SimulatedFamilies, random: () => number): FamiliesEnd {
  const settings = settingsWith({ gate_mode: 'auto', canary_percent: 50, ...world.settings })
  const judge = judgeWith()
  const rolledBack = new Map<number, number>()
  const appeared: FamilyAnswers[] = []
  const plans = new Map<string, GatePlan>()
  for (let count = 1; count <= world.answers; count += 1) {
    addTo(appeared, { world, settings, count, rolledBack }, random)
    if (count % world.everyAnswers > 0) continue
    const remaining = appeared.filter(({ family }) => !rolledBack.has(family))
    const done = Math.min(1, count / (world.answers * (2 / 3)))
    drawGrades(remaining, { grades: Math.floor(world.grades * done), settings, plans }, random)
    const segments = appeared.map((each, index) => segmentOf(each, { place: index + 1, rolledBack }))
    const evidence = gateEvidence({ settings, judge, arms: countsOf(pooled(remaining)), segments })
    const { action, families = [] } = decideGate(evidence, { elapsedMs: hourMs, rules })
    for (const segment of families) rolledBack.set(Number(segment), count)
    if (action !== null && action !== 'roll_back_families') return { action, rolledBack }
  }
  return { action: null, rolledBack }
}

interface Moment {
  readonly world: SimulatedFamilies
  readonly settings: AliasSettings
  readonly count: number
  readonly rolledBack: ReadonlyMap<number, number>
}

/** Adds an answer of a family that may be new. Requests of a family that was rolled back are not in the split. */
function addTo(appeared: FamilyAnswers[], { world, settings, count, rolledBack }: Moment, random: () => number): void {
  const present = world.families.filter(({ from = 0 }) => count > from)
  const at = random() * present.reduce((sum, { share }) => sum + share, 0)
  let upTo = 0
  const drawn = present.find(({ share }) => {
    upTo += share
    return at < upTo
  })
  if (drawn === undefined) return
  const family = world.families.indexOf(drawn)
  if (rolledBack.has(family)) return
  const known = appeared.find((each) => each.family === family)
  const own = known ?? { family, arms: { target: newStrata(), canary: newStrata() } }
  if (known === undefined) appeared.push(own)
  const arm = random() < settings.canary_percent / 100 ? 'canary' : 'target'
  addAnswer(own.arms[arm], { failRate: drawn[arm], ...judged }, random)
}

interface Grading {
  /** Grades that each arm has after this. */
  readonly grades: number
  readonly settings: AliasSettings
  /** By the families that are in the split. The service plans at each request; once is enough here, and faster. */
  readonly plans: Map<string, GatePlan>
}

/** Draws from each arm and verdict where the plan of the gate misses most. */
function drawGrades(families: readonly FamilyAnswers[], grading: Grading, random: () => number): void {
  const { grades } = grading
  if (grades === 0) return
  const plan = planFor(families, grading).grades
  for (const arm of ['target', 'canary'] as const) {
    const strata = {
      fail: families.map(({ arms }) => arms[arm].fail),
      pass: families.map(({ arms }) => arms[arm].pass),
    }
    const drawnOf = (verdict: 'fail' | 'pass') => sumOf(strata[verdict].map(({ drawn }) => drawn))
    while (drawnOf('fail') + drawnOf('pass') < grades) {
      const missesFails =
        drawnOf('fail') / Math.max(1, plan[arm].fails) < drawnOf('pass') / Math.max(1, plan[arm].passes)
      const [first, second] = missesFails ? [strata.fail, strata.pass] : [strata.pass, strata.fail]
      if (!drawFrom(first, random) && !drawFrom(second, random)) break
    }
  }
}

function planFor(families: readonly FamilyAnswers[], { settings, plans }: Grading): GatePlan {
  const key = families.map(({ family }) => family).join()
  const { target } = countsOf(pooled(families))
  const plan = plans.get(key) ?? planGate({ settings, assumed: assumedArms(judgeWith(), target) })
  plans.set(key, plan)
  return plan
}

/** Every answer that was not drawn yet has the same chance. */
function drawFrom(strata: readonly Strata['fail'][], random: () => number): boolean {
  let place = random() * sumOf(strata.map(({ open }) => open.length))
  for (const stratum of strata) {
    if (place < stratum.open.length) return drawOne(stratum, random)
    place -= stratum.open.length
  }
  return false
}

function pooled(families: readonly FamilyAnswers[]): ByArm<Strata> {
  const sum = (strata: readonly Strata['fail'][]) => ({
    rows: sumOf(strata.map(({ rows }) => rows)),
    drawn: sumOf(strata.map(({ drawn }) => drawn)),
    humanFails: sumOf(strata.map(({ humanFails }) => humanFails)),
    skipped: 0,
    skippedSince: 0,
    open: [],
  })
  const armOf = (arm: Arm) => ({
    fail: sum(families.map(({ arms }) => arms[arm].fail)),
    pass: sum(families.map(({ arms }) => arms[arm].pass)),
    unfinished: 0,
    assisted: 0,
  })
  return { target: armOf('target'), canary: armOf('canary') }
}

function segmentOf(
  { family, arms }: FamilyAnswers,
  { place, rolledBack }: { readonly place: number; readonly rolledBack: ReadonlyMap<number, number> },
): SegmentCounts {
  const scoresOf = ({ fail, pass }: Strata) => ({ scored: fail.rows + pass.rows, fails: fail.rows })
  const scores = { target: scoresOf(arms.target), canary: scoresOf(arms.canary) }
  return { segment: String(family), place, isRolledBack: rolledBack.has(family), ...scores }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
