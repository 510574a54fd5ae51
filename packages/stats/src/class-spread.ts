/** Grades of a stratum by what the judge made of one human class, as shapes of a Dirichlet distribution. */
export interface ShapedStratum {
  /** All exchanges of the stratum. */
  readonly rows: number
  /** Of the class, and found by the judge. */
  readonly found: number
  /** Of the class, and missed by the judge. */
  readonly missed: number
  /** Of the other class. */
  readonly others: number
}

export interface ClassSpread {
  /** The share of the class that the judge finds, 0..1. */
  readonly rate: number
  /** Per stratum: its part of the variance of the rate, times its number of grades. */
  readonly perGrade: readonly number[]
  /** Variance of the rate, with that of the shares of the strata. */
  readonly variance: number
}

/**
 * How much each stratum contributes to the uncertainty of a rate: the variance of the ratio estimate, linearized.
 *
 * @see Neyman 1934 for the split of a sample by it
 */
export function classSpread(strata: readonly ShapedStratum[]): ClassSpread {
  const shares = strata.map(({ rows, found, missed, others }) => {
    const total = found + missed + others
    return { rows, total, found: found / total, missed: missed / total }
  })
  const found = shares.reduce((sum, each) => sum + each.rows * each.found, 0)
  const all = found + shares.reduce((sum, each) => sum + each.rows * each.missed, 0)
  const rate = found / all
  let variance = 0
  const perGrade = shares.map((each) => {
    const mean = each.found * (1 - rate) - each.missed * rate
    const spread = each.found * (1 - rate) ** 2 + each.missed * rate ** 2 - mean ** 2
    const part = (each.rows ** 2 * spread) / all ** 2
    variance += part / (each.total + 1) + (each.rows * mean ** 2) / all ** 2
    return part
  })
  return { rate, perGrade, variance }
}
