import { requireEach, requireFinite } from './require-arguments.ts'

export interface ClusteredMean {
  readonly mean: number
  /** Robust to correlation within clusters: √Σ(sumᵣ − mean·nᵣ)² / n. */
  readonly standardError: number
  /** As if every value were independent; for comparison. */
  readonly independentStandardError: number
}

/**
 * Mean of values that come in clusters, such as the steps of one run, with its cluster-robust standard error.
 *
 * @param clusters the values of each cluster; in any unit
 * @returns null without values
 * @throws RangeError when a value is not finite
 * @see Liang & Zeger 1986, doi:10.1093/biomet/73.1.13; Miller 2024, arXiv:2411.00640
 * @example clusteredMean([[1, 1, 1], [1, 0], [0, 0]]) // mean 0.571, standard error 0.259
 */
export function clusteredMean(clusters: readonly (readonly number[])[]): ClusteredMean | null {
  const values = clusters.flat()
  requireEach('values', values, requireFinite)
  if (values.length === 0) return null
  const mean = sum(values) / values.length
  const deviations = clusters.map((cluster) => sum(cluster) - mean * cluster.length)
  return {
    mean,
    standardError: Math.sqrt(sumOfSquares(deviations)) / values.length,
    independentStandardError: Math.sqrt(sumOfSquares(values.map((value) => value - mean))) / values.length,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function sumOfSquares(values: readonly number[]): number {
  return values.reduce((total, value) => total + value * value, 0)
}
