/**
 * The value below which a share of the values lies, interpolated between two values (R's type 7).
 *
 * @param share 0..1
 * @throws RangeError without values
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const low = sorted[Math.floor(position)]
  const high = sorted[Math.ceil(position)]
  if (low === undefined || high === undefined) throw new RangeError('a percentile needs at least one value')
  return low + (high - low) * (position - Math.floor(position))
}

/** @throws RangeError without values */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
