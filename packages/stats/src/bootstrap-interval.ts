import type { Interval } from './interval.ts'
import { requireCount, requireInnerRate, requirePositive } from './require-arguments.ts'
import { normalCdf } from './special/normal-cdf.ts'
import { normalQuantile } from './special/normal-quantile.ts'

export interface Bootstrap {
  /** The rows to draw from are 0..rows − 1; ≥ 2. */
  readonly rows: number
  /** The statistic of the rows with these numbers; null where it is undefined, such as a ratio without a base. */
  readonly statistic: (rows: ArrayLike<number>) => number | null
  /** Uniform in [0, 1); seeded, so that the same data gives the same interval. */
  readonly random: () => number
  readonly resamples?: number
  readonly confidence?: number
}

const CORRECTED_BELOW = 50

/**
 * Bootstrap interval of any statistic of rows: percentiles, or bias-corrected and accelerated (BCa) for fewer than 50 rows,
 * where plain percentiles are biased.
 *
 * @returns null when there are fewer than 2 rows or the statistic is undefined for them
 * @throws RangeError when an argument is out of range
 * @see Efron 1987, doi:10.1080/01621459.1987.10478410
 */
export function bootstrapInterval(bootstrap: Bootstrap): Interval | null {
  const { rows, statistic, random, resamples = 2000, confidence = 0.95 } = bootstrap
  requireCount('rows', rows)
  requireCount('resamples', resamples)
  requirePositive('resamples', resamples)
  requireInnerRate('confidence', confidence)
  const all = Array.from({ length: rows }, (_, row) => row)
  const estimate = rows < 2 ? null : statistic(all)
  if (estimate === null) return null
  const drawn = drawStatistics({ rows, statistic, random, resamples })
  const tail = (1 - confidence) / 2
  const shift = rows < CORRECTED_BELOW ? correction({ all, statistic, estimate, drawn }) : unchanged
  const at = (share: number) => percentile(drawn, shift(share))
  return drawn.length === 0 ? null : { low: at(tail), high: at(1 - tail) }
}

function drawStatistics(options: Required<Omit<Bootstrap, 'confidence'>>): Float64Array {
  const { rows, statistic, random, resamples } = options
  const chosen = new Uint32Array(rows)
  const values: number[] = []
  for (let resample = 0; resample < resamples; resample += 1) {
    for (let place = 0; place < rows; place += 1) chosen[place] = Math.floor(random() * rows)
    const value = statistic(chosen)
    if (value !== null) values.push(value)
  }
  return Float64Array.from(values).sort()
}

interface Drawn {
  readonly all: readonly number[]
  readonly statistic: Bootstrap['statistic']
  readonly estimate: number
  readonly drawn: Float64Array
}

/** Corrects a nominal percentile for bias and acceleration. */
function correction({ all, statistic, estimate, drawn }: Drawn): (share: number) => number {
  const below =
    drawn.filter((value) => value < estimate).length + drawn.filter((value) => value === estimate).length / 2
  if (below === 0 || below === drawn.length) return unchanged
  const bias = normalQuantile(below / drawn.length)
  const skew = acceleration(all, statistic)
  return (share) => {
    const moved = bias + normalQuantile(share)
    return normalCdf(bias + moved / (1 - skew * moved))
  }
}

/** From the statistics with one row left out each. */
function acceleration(all: readonly number[], statistic: Bootstrap['statistic']): number {
  const without = all.flatMap((left) => statistic(all.filter((row) => row !== left)) ?? [])
  const mean = without.reduce((sum, value) => sum + value, 0) / without.length
  const squares = without.reduce((sum, value) => sum + (mean - value) ** 2, 0)
  const cubes = without.reduce((sum, value) => sum + (mean - value) ** 3, 0)
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5)
}

function unchanged(share: number): number {
  return share
}

/** Linear between the two nearest values. */
function percentile(ascending: Float64Array, share: number): number {
  const place = share * (ascending.length - 1)
  const low = ascending[Math.floor(place)] ?? Number.NaN
  const high = ascending[Math.ceil(place)] ?? Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}
