import { clusteredMean } from './clustered-mean.ts'
import type { Interval } from './interval.ts'
import { studentQuantile } from './special/student-quantile.ts'

/**
 * 95 % interval of the mean of values that come in clusters: the cluster-robust error, enlarged by √(k/(k − 1)) for k
 * clusters, and Student's t with k − 1 degrees of freedom. When every value is a separate cluster, such as the
 * differences of pairs, this is the interval of the t test.
 *
 * @param clusters the values of each cluster; in any unit
 * @returns in the unit of the values, or null with fewer than 2 clusters that hold any
 * @throws RangeError when a value is not finite
 * @see Student 1908, doi:10.1093/biomet/6.1.1; Cameron & Miller 2015, doi:10.3368/jhr.50.2.317
 * @example clusteredMeanInterval([[1], [2], [3]]) // { low: -0.484, high: 4.484 }
 */
export function clusteredMeanInterval(clusters: readonly (readonly number[])[]): Interval | null {
  const filled = clusters.filter((values) => values.length > 0)
  const clustered = clusteredMean(filled)
  if (clustered === null || filled.length < 2) return null
  const others = filled.length - 1
  const half = studentQuantile(0.975, others) * clustered.standardError * Math.sqrt(filled.length / others)
  return { low: clustered.mean - half, high: clustered.mean + half }
}
