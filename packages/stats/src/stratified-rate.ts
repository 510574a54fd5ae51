import { Z_95 } from './interval.ts'
import { randomFromSeed } from './random-from-seed.ts'
import { requireAmount, requireCount, requirePositive } from './require-arguments.ts'
import { normalCdf } from './special/normal-cdf.ts'
import { randomGamma } from './special/random-gamma.ts'
import { type StratifiedRate, wilsonEquivalent } from './wilson-equivalent.ts'

/** The graded rows of a stratum, of which each graded row stands for rows / graded rows. */
export interface RateStratum {
  /** All rows of the stratum, > 0; a fraction where it is estimated from sampling probabilities. */
  readonly rows: number
  /** Graded rows of the class that the judge found. */
  readonly found: number
  /** Graded rows of the class that the judge missed. */
  readonly missed: number
  /** Graded rows of the other class. */
  readonly others: number
  /** What the verdict, by which the stratum was formed, makes of rows of the class; null when it has no one verdict. */
  readonly verdict: 'finds' | 'misses' | null
  /** Strata of one verdict with the same text have one part of the prior together; a part of its own when absent. */
  readonly priorGroup?: string | undefined
}

export interface StratifiedRateOptions {
  /** The interval is the same for the same seed. */
  readonly seed: string
  /** Two-sided critical value; 95 % when absent. */
  readonly z?: number
  /** Number of draws from the posterior; 4,000 when absent. */
  readonly draws?: number
}

/**
 * The share of a human class that a judge finds, when people graded different shares of several strata. The interval is that
 * of Dirichlet posteriors of each stratum and of the shares of the strata, so it is about the traffic, not only about the
 * frame. The prior has one miss and half a find in all, shared by the strata in which the verdict makes them, so that a large
 * stratum with few grades proves little.
 *
 * @returns null when a stratum has no graded row, or no graded row is of the class
 * @throws RangeError when a count is impossible
 * @see Begg & Greenes 1983, doi:10.2307/2530820; Webber 2012, arXiv:1202.2880
 */
export function stratifiedRate(
  strata: readonly RateStratum[],
  { seed, z = Z_95, draws = 4_000 }: StratifiedRateOptions,
): StratifiedRate | null {
  for (const stratum of strata) check(stratum)
  requirePositive('z', z)
  requireCount('draws', draws)
  const ofClass = strata.reduce((total, { found, missed }) => total + found + missed, 0)
  if (ofClass === 0 || strata.some((stratum) => gradedOf(stratum) === 0)) return null
  const found = strata.reduce((total, stratum) => total + share(stratum, stratum.found), 0)
  const missed = strata.reduce((total, stratum) => total + share(stratum, stratum.missed), 0)
  const rate = found / (found + missed)
  const rates = posteriorRates(strata, { draws, seed })
  const tail = normalCdf(-z)
  const interval = {
    low: Math.min(rate, quantile(rates, tail)),
    high: missed === 0 ? 1 : Math.max(rate, quantile(rates, 1 - tail)),
  }
  // Where a stratum has one verdict, its rows of the other class tell how few misses or finds it may hide.
  const graded = strata.reduce(
    (total, { found, missed, others, verdict }) => total + found + missed + (verdict === null ? 0 : others),
    0,
  )
  return wilsonEquivalent({ rate, interval, z }, graded)
}

function check({ rows, found, missed, others }: RateStratum): void {
  requirePositive('rows', rows)
  requireAmount('found', found)
  requireAmount('missed', missed)
  requireAmount('others', others)
}

function gradedOf({ found, missed, others }: RateStratum): number {
  return found + missed + others
}

function share(stratum: RateStratum, count: number): number {
  return (stratum.rows * count) / gradedOf(stratum)
}

/** In ascending order. */
function posteriorRates(
  strata: readonly RateStratum[],
  { draws, seed }: { readonly draws: number; readonly seed: string },
): Float64Array {
  const gamma = randomGamma(randomFromSeed(seed))
  const posteriors = withPriors(strata)
  const rates = new Float64Array(draws)
  for (let draw = 0; draw < draws; draw += 1) {
    let found = 0
    let missed = 0
    for (const { rows, shapes } of posteriors) {
      const a = gamma(shapes[0])
      const m = gamma(shapes[1])
      const weight = gamma(rows) / (a + m + gamma(shapes[2]))
      found += weight * a
      missed += weight * m
    }
    rates[draw] = found + missed === 0 ? 0 : found / (found + missed)
  }
  return rates.sort()
}

/** Prior counts of what the verdict of a stratum rules out: a judge may answer otherwise when it judges again. */
const unlikely = 0.02
const priorOthers = 0.5
const priorMisses = 1
const priorFinds = 0.5

/** The shapes of (found, missed, others) of each stratum. */
function withPriors(strata: readonly RateStratum[]) {
  const missing = strata.filter(({ verdict }) => verdict !== 'finds')
  const finding = strata.filter(({ verdict }) => verdict !== 'misses')
  return strata.map((stratum) => {
    const { rows, found, missed, others, verdict } = stratum
    const finds = verdict === 'misses' ? unlikely : priorFinds * partOf(stratum, finding)
    const misses = verdict === 'finds' ? unlikely : priorMisses * partOf(stratum, missing)
    return { rows, shapes: [found + finds, missed + misses, others + priorOthers] as const }
  })
}

/** Strata with one verdict share a prior equally: what formed them tells more about errors than their size. */
function partOf(stratum: RateStratum, sharing: readonly RateStratum[]): number {
  if (sharing.every(({ verdict }) => verdict !== null)) return priorPart(stratum, sharing)
  return stratum.rows / sharing.reduce((total, { rows }) => total + rows, 0)
}

/** The part of a prior that a stratum has among those that share it, of which it is one: that of its group, or its own. */
export function priorPart<Sharing extends Pick<RateStratum, 'priorGroup'>>(
  stratum: Sharing,
  sharing: readonly Sharing[],
): number {
  const grouped = sharing.filter(({ priorGroup }) => priorGroup !== undefined)
  const parts = sharing.length - grouped.length + new Set(grouped.map(({ priorGroup }) => priorGroup)).size
  if (stratum.priorGroup === undefined) return 1 / parts
  return 1 / (parts * grouped.filter(({ priorGroup }) => priorGroup === stratum.priorGroup).length)
}

function quantile(sorted: Float64Array, part: number): number {
  const place = part * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? 0
  const above = sorted[Math.ceil(place)] ?? below
  return below + (above - below) * (place - Math.floor(place))
}
