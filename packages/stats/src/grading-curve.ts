import { TRUST_BAR } from './grades-needed.ts'
import { lastOf } from './last-of.ts'
import { randomGamma } from './special/random-gamma.ts'
import { type ClassGrades, classCounter, type TalliedStratum, type Tally } from './tally-class.ts'
import { wilsonInterval } from './wilson-interval.ts'

/** A stratum with what is known of it. */
export interface CurveStratum extends TalliedStratum {
  /** Shapes of a Dirichlet distribution of the shares of a tally; 0 for what cannot occur. */
  readonly shapes: readonly number[]
  /** Its grades in one draw, given the shares of it. */
  readonly start: (truth: readonly number[], random: () => number) => Tally
}

export interface CurveOptions {
  /** Numbers in [0, 1). */
  readonly random: () => number
  /** Numbers of further grades at which the judge is measured, ascending and positive. */
  readonly checkpoints: readonly number[]
  /** 200 when absent. */
  readonly draws?: number
  /** Whether grades of a class prove more than its interval does; always when absent. */
  readonly proves?: (grades: ClassGrades) => boolean
}

export interface CurvePoint {
  readonly grades: number
  /** Chance that both intervals are above the bar, 0..1. */
  readonly trusted: number
  /** Chance that both were above the bar here or at an earlier checkpoint, 0..1. */
  readonly trustedBy: number
  /** Chance that `proves` holds too. */
  readonly proven: number
}

/**
 * The chance that a judge is proven after a number of further grades: its true rates are drawn from what is known of them,
 * then grades from these rates.
 *
 * @param order the stratum of each further grade, by its place in `strata`
 */
export function gradingCurve(
  strata: readonly CurveStratum[],
  order: readonly number[],
  options: CurveOptions,
): readonly CurvePoint[] {
  return lastOf(gradingCurveSteps(strata, order, options))
}

/** The same in steps of some microseconds, for callers that have other work to do meanwhile. */
export function* gradingCurveSteps(
  strata: readonly CurveStratum[],
  order: readonly number[],
  { random, checkpoints, draws = 200, proves = () => true }: CurveOptions,
): Generator<void, readonly CurvePoint[]> {
  const reached = checkpoints.filter((grades) => grades <= order.length)
  const trusted = reached.map(() => 0)
  const proven = reached.map(() => 0)
  const firstTrusted = reached.map(() => 0)
  const gamma = randomGamma(random)
  const noise = () => gamma(noiseShape) / noiseShape
  const [countFails, countPasses] = [classCounter(strata, 'fail'), classCounter(strata, 'pass')]
  for (let draw = 0; draw < draws; draw += 1) {
    const truth = strata.map(({ shapes }) => drawShares(shapes, gamma))
    const tallies = strata.map((stratum, index) => stratum.start(truth[index] ?? [], random))
    let graded = 0
    let wasTrusted = false
    for (const [index, grades] of reached.entries()) {
      yield
      for (; graded < grades; graded += 1) addGrade(order[graded] ?? 0, { truth, tallies, random })
      const [ofFails, ofPasses] = [noise(), noise()]
      const fails = countFails(tallies, ofFails)
      if (!isTrusted(fails)) continue
      const passes = countPasses(tallies, ofPasses)
      if (!isTrusted(passes)) continue
      trusted[index] = (trusted[index] ?? 0) + 1
      if (!wasTrusted) firstTrusted[index] = (firstTrusted[index] ?? 0) + 1
      wasTrusted = true
      if (proves(fails) && proves(passes)) proven[index] = (proven[index] ?? 0) + 1
    }
  }
  return reached.map((grades, index) => ({
    grades,
    trusted: (trusted[index] ?? 0) / draws,
    trustedBy: firstTrusted.slice(0, index + 1).reduce((sum, count) => sum + count, 0) / draws,
    proven: (proven[index] ?? 0) / draws,
  }))
}

/**
 * `stratifiedRate` finds a bound as one of 40 by 4,000 draws, so each calibration has about 3 % more or fewer trials than the
 * next one with other draws.
 */
const noiseShape = 1_000

function drawShares(shapes: readonly number[], gamma: (shape: number) => number): readonly number[] {
  const parts = shapes.map((shape) => (shape === 0 ? 0 : gamma(shape)))
  const total = parts.reduce((sum, part) => sum + part, 0)
  return parts.map((part) => (total === 0 ? 0 : part / total))
}

interface Grading {
  readonly truth: readonly (readonly number[])[]
  readonly tallies: readonly Tally[]
  readonly random: () => number
}

function addGrade(stratum: number, { truth, tallies, random }: Grading): void {
  const tally = tallies[stratum]
  if (tally === undefined) return
  const shares = truth[stratum] ?? []
  let rest = random()
  let place = 0
  for (; place < 3; place += 1) {
    rest -= shares[place] ?? 0
    if (rest < 0) break
  }
  tally[place] = (tally[place] ?? 0) + 1
}

/** Whether the 95 % interval of a rate is above the bar. */
export function isTrusted({ found, trials }: ClassGrades): boolean {
  return (wilsonInterval(found, trials)?.low ?? 0) >= TRUST_BAR
}
