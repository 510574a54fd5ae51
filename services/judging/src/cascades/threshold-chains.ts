import type { Thresholds } from './decide-item.ts'

/**
 * The thresholds that a calibration tests, in lists whose order is fixed before any verdict. Each list leaves out the first
 * judges, none or some, and begins with all others deciding only when all their verdicts are equal. Then the last judge
 * decides on smaller majorities, then the one before it, and so on. So a judge whose majorities mislead ends only the lists
 * that it is in.
 *
 * @param verdictCounts number of verdicts of each judge on an item
 */
export function thresholdChains(verdictCounts: readonly number[]): readonly (readonly Thresholds[])[] {
  return verdictCounts.map((_, first) => chainFrom(verdictCounts, first))
}

function chainFrom(verdictCounts: readonly number[], first: number): readonly Thresholds[] {
  let current: Thresholds = verdictCounts.map((count, index) => (index < first ? null : count))
  const chain = [current]
  for (let judge = verdictCounts.length - 1; judge >= first; judge -= 1) {
    const count = verdictCounts[judge] ?? 1
    for (let minEqual = count - 1; minEqual > count / 2; minEqual -= 1) {
      current = current.with(judge, minEqual)
      chain.push(current)
    }
  }
  return chain
}
