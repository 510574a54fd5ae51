import { Z_95 } from './interval.ts'
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
  return classCounter(strata, human)(tallies, noise)
}

/** The same for many tallies of the same strata: what does not depend on the grades is computed once. */
export function classCounter(
  strata: readonly TalliedStratum[],
  human: Class,
): (tallies: readonly Tally[], noise: number) => ClassGrades {
  const [found, missed] = cells[human]
  const [only] = strata
  if (only === undefined) return () => nothing
  if (strata.length === 1) {
    return ([tally = []]) => {
      const hits = tally[found] ?? 0
      return { found: hits, trials: hits + (tally[missed] ?? 0) }
    }
  }
  const priors = priorsOf(strata, human)
  const elsewhere = only.elsewhere?.[human] ?? nothing
  return (tallies, noise) => {
    const own = stratified(priors, tallies, { human, noise })
    return { found: own.found + elsewhere.found, trials: own.trials + elsewhere.trials }
  }
}

const nothing: ClassGrades = { found: 0, trials: 0 }

/** A stratum with the parts of the priors that it has. */
interface StratumPriors extends Pick<TalliedStratum, 'rows' | 'verdict'> {
  readonly found: number
  readonly missed: number
}

function priorsOf(strata: readonly TalliedStratum[], human: Class): readonly StratumPriors[] {
  const finding = strata.filter(({ verdict }) => verdict === human)
  const missing = strata.filter(({ verdict }) => verdict !== human)
  return strata.map((stratum) => {
    const { rows, verdict } = stratum
    const isFinding = verdict === human
    return {
      rows,
      verdict,
      found: isFinding ? prior.found * priorPart(stratum, finding) : prior.unlikely,
      missed: isFinding ? prior.unlikely : prior.missed * priorPart(stratum, missing),
    }
  })
}

/** A plan counts tens of thousands of times, so nothing is allocated for each stratum. */
function stratified(
  strata: readonly StratumPriors[],
  tallies: readonly Tally[],
  { human, noise }: { readonly human: Class; readonly noise: number },
): ClassGrades {
  const [foundAt, missedAt, otherAt, anotherAt] = cells[human]
  const [finds, misses] = [noMoments(), noMoments()]
  let [found, missed, graded, ofClass] = [0, 0, 0, 0]
  for (const [index, stratum] of strata.entries()) {
    const tally = tallies[index] ?? []
    const [hits, misseds] = [tally[foundAt] ?? 0, tally[missedAt] ?? 0]
    const others = (tally[otherAt] ?? 0) + (tally[anotherAt] ?? 0)
    const all = hits + misseds + others
    if (all === 0) return nothing
    const weight = stratum.rows / all
    found += weight * hits
    missed += weight * misseds
    ofClass += hits + misseds
    graded += hits + misseds + (stratum.verdict === null ? 0 : others)
    const [a, m] = [hits + stratum.found, misseds + stratum.missed]
    const total = a + m + (others + prior.others)
    addRows(finds, { rows: stratum.rows, cell: a, total })
    addRows(misses, { rows: stratum.rows, cell: m, total })
  }
  if (ofClass === 0) return nothing
  const rate = found / (found + missed)
  const interval = {
    low: Math.min(rate, rateAt(finds, misses, Z_95)),
    high: missed === 0 ? 1 : Math.max(rate, rateAt(finds, misses, -Z_95)),
  }
  const { effectiveTrials } = wilsonEquivalent({ rate, interval, z: Z_95 }, Number.POSITIVE_INFINITY)
  const trials = Math.min(graded, effectiveTrials * noise)
  return { found: rate * trials, trials }
}

interface Moments {
  mean: number
  variance: number
  /** Third central moment. */
  third: number
}

function noMoments(): Moments {
  return { mean: 0, variance: 0, third: 0 }
}

/** Adds the moments of the rows in a cell: a share with a beta distribution of a number with a gamma distribution. */
function addRows(
  sum: Moments,
  { rows, cell, total }: { readonly rows: number; readonly cell: number; readonly total: number },
): void {
  const mean = (rows * cell) / total
  const square = (mean * (rows + 1) * (cell + 1)) / (total + 1)
  const cube = (square * (rows + 2) * (cell + 2)) / (total + 2)
  sum.mean += mean
  sum.variance += square - mean ** 2
  sum.third += cube - 3 * mean * square + 2 * mean ** 3
}

/**
 * The rate where the ratio of misses to finds has its quantile at z: the distances of both quantiles from the means, on the
 * scale of logarithms, are squared and added.
 *
 * @see Zou & Donner 2008, doi:10.1002/sim.3095
 */
function rateAt(finds: Moments, misses: Moments, z: number): number {
  const { mean: missed } = misses
  const { mean: found } = finds
  const distance = Math.hypot(Math.log(quantileOfSum(misses, z) / missed), Math.log(quantileOfSum(finds, -z) / found))
  return 1 / (1 + (missed / found) * Math.exp(z > 0 ? distance : -distance))
}

/**
 * The quantile at z of a sum: that of a shifted gamma distribution of the same mean, variance and skewness, whose cube root is
 * nearly normal.
 *
 * @see Wilson & Hilferty 1931, doi:10.1073/pnas.17.12.684
 */
function quantileOfSum({ mean, variance, third }: Moments, z: number): number {
  const deviation = Math.sqrt(variance)
  const skewness = third / deviation ** 3
  const root = 1 + (skewness * z) / 6 - skewness ** 2 / 36
  const factor = Math.abs(skewness) < noSkewness ? z : (2 / skewness) * (root ** 3 - 1)
  return Math.max(smallest * mean, mean + deviation * factor)
}

const noSkewness = 1e-4
/** A quantile may be next to nothing, of which there is no logarithm. */
const smallest = 1e-6
