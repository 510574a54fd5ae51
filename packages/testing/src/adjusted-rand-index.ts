/**
 * The agreement of two groupings of the same items, corrected for chance: 1 for the same groups under any names, about
 * 0 for independent ones, below 0 for less agreement than chance gives.
 *
 * @param truth the group of each item, in any values
 * @param found the group of each item in the other grouping, in the same order
 * @returns at most 1; 1 when both are trivial in the same way (one group, or all items alone)
 * @throws RangeError when the lengths differ or there are no items
 * @see Hubert & Arabie 1985, doi:10.1007/BF01908075
 * @example adjustedRandIndex([0, 0, 1, 2], [0, 0, 1, 1]) // 0.571
 */
export function adjustedRandIndex<T, F>(truth: readonly T[], found: readonly F[]): number {
  if (truth.length !== found.length) throw new RangeError(`got ${truth.length} and ${found.length} items`)
  if (truth.length === 0) throw new RangeError('there are no items')
  const sizes = countTogether(truth, found)
  const together = sumPairs(sizes.both)
  const inTruth = sumPairs(sizes.truth)
  const inFound = sumPairs(sizes.found)
  const all = pairs(truth.length)
  const expected = all === 0 ? 0 : (inTruth * inFound) / all
  const most = (inTruth + inFound) / 2
  return most === expected ? 1 : (together - expected) / (most - expected)
}

function countTogether<T, F>(truth: readonly T[], found: readonly F[]) {
  const both = new Map<T, Map<F, number>>()
  const foundSizes = new Map<F, number>()
  const truthSizes = new Map<T, number>()
  truth.forEach((group, index) => {
    const other = found[index] as F
    const row = both.get(group) ?? new Map<F, number>()
    both.set(group, row.set(other, (row.get(other) ?? 0) + 1))
    truthSizes.set(group, (truthSizes.get(group) ?? 0) + 1)
    foundSizes.set(other, (foundSizes.get(other) ?? 0) + 1)
  })
  const cells = [...both.values()].flatMap((row) => [...row.values()])
  return { both: cells, truth: [...truthSizes.values()], found: [...foundSizes.values()] }
}

function sumPairs(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + pairs(size), 0)
}

function pairs(count: number): number {
  return (count * (count - 1)) / 2
}
