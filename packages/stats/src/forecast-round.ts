import { classSpread } from './class-spread.ts'
import { type CurvePoint, gradingCurve, isTrusted } from './grading-curve.ts'
import { neymanOrder } from './neyman-order.ts'
import { type Class, type Tally, tallyClass } from './tally-class.ts'

/** A stratum of a round: all rows have one verdict of the judge, and a random part of them is graded. */
export interface RoundStratum {
  readonly rows: number
  readonly verdict: Class
  /** Graded rows that people failed, and passed. */
  readonly fails: number
  readonly passes: number
  /** Rows that were given to people; more than the graded ones when some had no answer. As many as graded when absent. */
  readonly taken?: number
  /** Rows that can still be graded. */
  readonly available: number
}

export interface RoundForecastOptions {
  /** Numbers in [0, 1), from a seed where the forecast is to be repeatable. */
  readonly random: () => number
  /** Grades after which nothing is promised; 1,000 when absent. */
  readonly maxGrades?: number
}

export interface RoundForecast {
  /**
   * Median of the number of further grades after which the judge is proven for the first time, if it is measured after every
   * ten; null when more than half of the draws never prove it.
   */
  readonly expected: number | null
  /** Smallest number of grades with a chance of 0.8; null when there is none. */
  readonly likely: number | null
  /** Chances by number of further grades, ascending. */
  readonly curve: readonly Pick<CurvePoint, 'grades' | 'trusted'>[]
}

/** Every stratum gets so many grades before its shares are used. */
const minGradedPerStratum = 10
const likelyChance = 0.8

/** The classes whose rate is not proven by the grades. */
export function openClassesOfRound(strata: readonly RoundStratum[]): readonly Class[] {
  const tallies = strata.map(tallyOf)
  return (['fail', 'pass'] as const).filter((human) => !isTrusted(tallyClass(strata, tallies, human)))
}

/** The stratum of each next grade of a round, by its place. */
export function roundOrder(
  strata: readonly RoundStratum[],
  limit: number,
  openClasses = openClassesOfRound(strata),
): readonly number[] {
  const sides = (openClasses.length === 0 ? (['fail', 'pass'] as const) : openClasses).map((human) =>
    classSpread(
      strata.map(({ rows, verdict, fails, passes }) => {
        const own = (human === 'fail' ? fails : passes) + 0.5
        const others = (human === 'fail' ? passes : fails) + 0.5
        return { rows, found: verdict === human ? own : 0, missed: verdict === human ? 0 : own, others }
      }),
    ),
  )
  const ordered = strata.map(({ rows, fails, passes, taken = fails + passes, available }, place) => ({
    rows,
    available,
    graded: taken,
    spread: sides.reduce((sum, { perGrade }) => sum + (perGrade[place] ?? 0), 0),
  }))
  return neymanOrder(ordered, { limit, minGraded: minGradedPerStratum })
}

/**
 * How many further grades prove a judge, in the order in which a round asks for them. Pure and without Node's modules, so
 * that a browser can compute it.
 *
 * @example forecastRound(strata, { random: Math.random }).likely // 96
 */
export function forecastRound(
  strata: readonly RoundStratum[],
  { random, maxGrades = 1_000 }: RoundForecastOptions,
): RoundForecast {
  if (openClassesOfRound(strata).length === 0) return { expected: 0, likely: 0, curve: [] }
  const order = roundOrder(strata, maxGrades)
  const checkpoints = steps.filter((grades) => grades <= Math.min(order.length, maxGrades))
  const known = strata.map((stratum) => ({
    rows: stratum.rows,
    verdict: stratum.verdict,
    shapes: shapesOf(stratum),
    start: () => tallyOf(stratum),
  }))
  const curve = gradingCurve(known, order, { random, checkpoints })
  return {
    expected: curve.find(({ trustedBy }) => trustedBy >= 0.5)?.grades ?? null,
    likely: curve.find(({ trusted }) => trusted >= likelyChance)?.grades ?? null,
    curve: curve.map(({ grades, trusted }) => ({ grades, trusted })),
  }
}

const steps = [
  ...Array.from({ length: 40 }, (_, index) => (index + 1) * 10),
  ...Array.from({ length: 12 }, (_, index) => 450 + index * 50),
]

/** In the places of a tally. */
function tallyOf({ verdict, fails, passes }: Pick<RoundStratum, 'verdict' | 'fails' | 'passes'>): Tally {
  return verdict === 'fail' ? [fails, 0, passes, 0] : [0, fails, 0, passes]
}

/** A quarter of a grade for each class: a stratum without a miss may hide some, though not as many as half of one. */
const prior = 0.25

function shapesOf(stratum: RoundStratum): readonly number[] {
  return tallyOf({
    verdict: stratum.verdict,
    fails: stratum.fails + prior,
    passes: stratum.passes + prior,
  })
}
