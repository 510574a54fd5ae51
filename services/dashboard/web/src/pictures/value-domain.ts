/** The range of an axis that holds all values, with a margin of a twentieth at both ends. */
export function domainOf(values: readonly number[], include: readonly number[] = []): readonly [number, number] {
  const all = [...values, ...include]
  const low = Math.min(...all)
  const high = Math.max(...all)
  const margin = (high - low || Math.abs(high) || 1) / 20
  return [low - margin, high + margin]
}
