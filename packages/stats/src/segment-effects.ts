import { type Interval, Z_95 } from './interval.ts'
import { requireAmount, requireFinite, requirePositive } from './require-arguments.ts'
import { incompleteBeta } from './special/incomplete-beta.ts'

/** The mean of one segment. */
export interface SegmentMean {
  /** In any unit, the same for all segments. */
  readonly mean: number
  /** Variance of one value. */
  readonly variance: number
  /** Number of independent values, 2 or more; a fraction when clusters were reduced to their effective number. */
  readonly n: number
}

export interface SegmentEffects {
  /** Mean over segments, each weighted by how precisely it is known and by how much segments differ. */
  readonly mean: number
  /** Estimated standard deviation of the true means of segments; 0 when they differ no more than by chance. */
  readonly spread: number
  /** Probability of differences this large between segments of the same true mean. */
  readonly heterogeneityP: number
  /** In the order of the arguments: the mean of each segment, moved towards the common one, and its 95 % interval. */
  readonly shrunken: readonly { readonly mean: number; readonly interval: Interval }[]
}

/** Values with the variance of all segments that are added to each, since a few equal values have none. */
const addedValues = 5
/** No mean is known better than this; a variance of 0 in all segments would divide by zero. */
const minVariance = 1e-9

/**
 * Whether segments have different means, and the mean of each with regard to the others: Welch's test, and empirical Bayes
 * estimates with the variance between segments by DerSimonian and Laird. A segment with few values says little about itself,
 * so its estimate is mostly that of all.
 *
 * @returns null with fewer than two segments
 * @throws RangeError when an argument is out of range
 * @see Welch 1951, doi:10.1093/biomet/38.3-4.330; DerSimonian & Laird 1986, doi:10.1016/0197-2456(86)90046-2; Morris 1983,
 *   doi:10.1080/01621459.1983.10477920
 */
export function segmentEffects(segments: readonly SegmentMean[]): SegmentEffects | null {
  for (const { mean, variance, n } of segments) {
    requireFinite('mean', mean)
    requireAmount('variance', variance)
    requirePositive('n - 1', n - 1)
  }
  if (segments.length < 2) return null
  const pooled = sum(segments.map(({ variance, n }) => n * variance)) / sum(segments.map(({ n }) => n))
  const known = segments.map(({ mean, variance, n }) => ({
    mean,
    n,
    error: Math.max(minVariance, (n * variance + addedValues * pooled) / (n + addedValues) / n),
  }))
  const weights = known.map(({ error }) => 1 / error)
  const total = sum(weights)
  const centre = weightedMean(known, weights)
  const q = sum(known.map(({ mean, error }) => (mean - centre) ** 2 / error))
  const others = segments.length - 1
  const between = Math.max(0, (q - others) / (total - sum(weights.map((weight) => weight ** 2)) / total))
  return {
    ...shrink(known, between),
    spread: Math.sqrt(between),
    heterogeneityP: welchP(
      q,
      known.map(({ n }, index) => ({ n, share: (weights[index] ?? 0) / total })),
    ),
  }
}

interface KnownMean {
  readonly mean: number
  /** Variance of the mean. */
  readonly error: number
}

function shrink(known: readonly KnownMean[], between: number): Pick<SegmentEffects, 'mean' | 'shrunken'> {
  const weights = known.map(({ error }) => 1 / (error + between))
  const centre = weightedMean(known, weights)
  const shrunken = known.map(({ mean, error }) => {
    const own = between / (between + error)
    const half = Z_95 * Math.sqrt(own * error + (1 - own) ** 2 / sum(weights))
    const estimate = centre + own * (mean - centre)
    return { mean: estimate, interval: { low: estimate - half, high: estimate + half } }
  })
  return { mean: centre, shrunken }
}

/** Welch's test takes into account that the variance of each segment is estimated. */
function welchP(q: number, segments: readonly { readonly n: number; readonly share: number }[]): number {
  const k = segments.length
  const lambda = sum(segments.map(({ n, share }) => (1 - share) ** 2 / (n - 1)))
  const ratio = q / (k - 1) / (1 + (2 * (k - 2) * lambda) / (k * k - 1))
  const [above, below] = [k - 1, (k * k - 1) / (3 * lambda)]
  return incompleteBeta(below / (below + above * ratio), { a: below / 2, b: above / 2 })
}

function weightedMean(known: readonly KnownMean[], weights: readonly number[]): number {
  return sum(known.map(({ mean }, index) => mean * (weights[index] ?? 0))) / sum(weights)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
