export interface OrderedStratum {
  readonly rows: number
  /** Grades so far. */
  readonly graded: number
  /** Rows that can still be graded. */
  readonly available: number
  /** Its part of the variance of the rates that are not proven, times its number of grades. */
  readonly spread: number
}

export interface NeymanOptions {
  readonly limit: number
  /** Grades that each stratum gets first. */
  readonly minGraded: number
}

/**
 * The stratum of each next grade, by its place: first every stratum is learned, then each grade goes where it makes the
 * variance smallest.
 *
 * @see Neyman 1934
 */
export function neymanOrder(strata: readonly OrderedStratum[], { limit, minGraded }: NeymanOptions): readonly number[] {
  const grades = strata.map(({ graded }) => graded)
  const left = strata.map(({ available }) => available)
  const order: number[] = []
  while (order.length < limit) {
    const isLearning = strata.some((_, place) => (left[place] ?? 0) > 0 && (grades[place] ?? 0) < minGraded)
    let [next, highest] = [-1, Number.NEGATIVE_INFINITY]
    for (const [place, { rows, spread }] of strata.entries()) {
      const own = grades[place] ?? 0
      if ((left[place] ?? 0) <= 0 || (isLearning && own >= minGraded)) continue
      const gain = isLearning ? -(own + 1) / rows : spread / (own * (own + 1))
      if (gain > highest) [next, highest] = [place, gain]
    }
    if (next === -1) break
    grades[next] = (grades[next] ?? 0) + 1
    left[next] = (left[next] ?? 0) - 1
    order.push(next)
  }
  return order
}
