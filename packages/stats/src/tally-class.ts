import { type Interval, Z_95 } from './interval.ts'
import { priorPart } from './stratified-rate.ts'
import { wilsonEquivalent } from './wilson-equivalent.ts'

/** Grades by human class and verdict of the judge: fails that it found and missed, passes that it missed and found. */
export type Tally = number[]

export type Class = 'fail' | 'pass'

export interface TalliedStratum {
  /** All rows of the stratum, > 0. */
  readonly rows: number
  /** The verdict by which the stratum was formed; null when it has no one verdict. */
  readonly verdict: Class | null
  /** As of `stratifiedRate`. */
  readonly priorGroup?: string | undefined
  /** Grades of other draws that count too. */
  readonly elsewhere?: Readonly<Record<Class, ClassGrades>>
}

/** Grades of one human class as a number of grades of equal weight; may be fractional. */
export interface ClassGrades {
  readonly found: number
  readonly trials: number
}

/** Places in a tally of what the judge found, missed, and of the other class. */
const cells = { fail: [0, 1, 2, 3], pass: [3, 2, 0, 1] } as const
/** The priors of `stratifiedRate`. */
const prior = { found: 0.5, missed: 1, others: 0.5, unlikely: 0.02 }

/**
 * Counts a class as a calibration would. `stratifiedRate` draws thousands of times for one interval; here the bounds of
 * its interval are those of a ratio of two gamma distributions, with the means and variances of its posterior.
 *
 * @param noise what an interval that is found by chance makes of the trials, around 1
 */
export function tallyClass(
  strata: readonly TalliedStratum[],
  tallies: readonly Tally[],
  human: Class,
  noise = 1,
): ClassGrades {
  const [found, missed, ...others] = cells[human]
  const counted = strata.map(({ rows, verdict, priorGroup, elsewhere }, index) => {
    const tally = tallies[index] ?? []
    const other = (tally[others[0]] ?? 0) + (tally[others[1]] ?? 0)
    return {
      rows,
      verdict,
      priorGroup,
      elsewhere: elsewhere?.[human] ?? nothing,
      found: tally[found] ?? 0,
      missed: tally[missed] ?? 0,
      others: other,
    }
  })
  const [only] = counted
  if (only === undefined) return { found: 0, trials: 0 }
  if (counted.length === 1) return { found: only.found, trials: only.found + only.missed }
  const own = stratified(counted, human, noise)
  return { found: own.found + only.elsewhere.found, trials: own.trials + only.elsewhere.trials }
}

const nothing: ClassGrades = { found: 0, trials: 0 }

interface CountedStratum extends Pick<TalliedStratum, 'rows' | 'verdict' | 'priorGroup'> {
  readonly found: number
  readonly missed: number
  readonly others: number
}

function stratified(strata: readonly CountedStratum[], human: Class, noise: number): ClassGrades {
  const ofClass = sumOf(strata, ({ found, missed }) => found + missed)
  if (ofClass === 0 || strata.some((each) => each.found + each.missed + each.others === 0)) return nothing
  const weight = ({ rows, found, missed, others }: CountedStratum) => rows / (found + missed + others)
  const finds = sumOf(strata, (each) => weight(each) * each.found)
  const misses = sumOf(strata, (each) => weight(each) * each.missed)
  const rate = finds / (finds + misses)
  const bounds = posteriorBounds(strata, human)
  const interval = { low: Math.min(rate, bounds.low), high: misses === 0 ? 1 : Math.max(rate, bounds.high) }
  const graded = sumOf(strata, (each) => each.found + each.missed + (each.verdict === null ? 0 : each.others))
  const { effectiveTrials } = wilsonEquivalent({ rate, interval, z: Z_95 }, Number.POSITIVE_INFINITY)
  const trials = Math.min(graded, effectiveTrials * noise)
  return { found: rate * trials, trials }
}

function posteriorBounds(strata: readonly CountedStratum[], human: Class): Interval {
  const finding = strata.filter(({ verdict }) => verdict === human)
  const missing = strata.filter(({ verdict }) => verdict !== human)
  const shaped = strata.map((stratum) => {
    const isFinding = stratum.verdict === human
    return {
      rows: stratum.rows,
      found: stratum.found + (isFinding ? prior.found * priorPart(stratum, finding) : prior.unlikely),
      missed: stratum.missed + (isFinding ? prior.unlikely : prior.missed * priorPart(stratum, missing)),
      others: stratum.others + prior.others,
    }
  })
  const finds = shaped.map((each) => rowsOf(each, each.found))
  const misses = shaped.map((each) => rowsOf(each, each.missed))
  return { low: rateAt(finds, misses, Z_95), high: rateAt(finds, misses, -Z_95) }
}

interface Moments {
  readonly mean: number
  readonly variance: number
  /** Third central moment. */
  readonly third: number
}

/** Moments of the number of rows in a cell: a share with a beta distribution of a number with a gamma distribution. */
function rowsOf(
  { rows, found, missed, others }: Omit<CountedStratum, 'verdict' | 'priorGroup'>,
  cell: number,
): Moments {
  const total = found + missed + others
  const mean = (rows * cell) / total
  const square = (mean * (rows + 1) * (cell + 1)) / (total + 1)
  const cube = (square * (rows + 2) * (cell + 2)) / (total + 2)
  return { mean, variance: square - mean ** 2, third: cube - 3 * mean * square + 2 * mean ** 3 }
}

/**
 * The rate where the ratio of misses to finds has its quantile at z: the distances of both quantiles from the means, on the
 * scale of logarithms, are squared and added.
 *
 * @see Zou & Donner 2008, doi:10.1002/sim.3095
 */
function rateAt(finds: readonly Moments[], misses: readonly Moments[], z: number): number {
  const means = [misses, finds].map((parts) => sumOf(parts, ({ mean }) => mean))
  const [missed = 0, found = 0] = means
  const distance = Math.hypot(Math.log(quantileOfSum(misses, z) / missed), Math.log(quantileOfSum(finds, -z) / found))
  return 1 / (1 + (missed / found) * Math.exp(z > 0 ? distance : -distance))
}

/**
 * The quantile at z of a sum: that of a shifted gamma distribution of the same mean, variance and skewness, whose cube root is
 * nearly normal.
 *
 * @see Wilson & Hilferty 1931, doi:10.1073/pnas.17.12.684
 */
function quantileOfSum(parts: readonly Moments[], z: number): number {
  const mean = sumOf(parts, (part) => part.mean)
  const deviation = Math.sqrt(sumOf(parts, ({ variance }) => variance))
  const skewness = sumOf(parts, ({ third }) => third) / deviation ** 3
  const root = 1 + (skewness * z) / 6 - skewness ** 2 / 36
  const factor = Math.abs(skewness) < noSkewness ? z : (2 / skewness) * (root ** 3 - 1)
  return Math.max(smallest * mean, mean + deviation * factor)
}

const noSkewness = 1e-4
/** A quantile may be next to nothing, of which there is no logarithm. */
const smallest = 1e-6

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
