import { requireCount } from './require-arguments.ts'

/**
 * Cohen's kappa of two raters with any number of categories: their agreement, corrected for chance.
 *
 * @param table rows are the categories of one rater, columns those of the other; counts
 * @returns at most 1; 0 is chance; null without ratings, or when both raters use only one and the same category
 * @throws RangeError when the table is not square or a count is not a whole number ≥ 0
 * @see Cohen 1960, doi:10.1177/001316446002000104
 * @example categoryKappa([[20, 5], [10, 15]]) // 0.4
 */
export function categoryKappa(table: readonly (readonly number[])[]): number | null {
  for (const row of table) {
    if (row.length !== table.length) throw new RangeError('the table must be square')
    for (const count of row) requireCount('count', count)
  }
  const total = sum(table.flat())
  const agreed = sum(table.map((row, index) => row[index] ?? 0))
  const byChance = sum(table.map((row, index) => sum(row) * sum(table.map((other) => other[index] ?? 0))))
  if (total === 0 || byChance === total * total) return null
  return (agreed * total - byChance) / (total * total - byChance)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
