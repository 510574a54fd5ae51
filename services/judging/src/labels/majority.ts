import type { Verdict } from '@ratchet/contracts/criteria'

/**
 * The verdict of people about an item. Ties are left out of measurements.
 *
 * @throws RangeError without grades
 */
export function majorityOf(grades: readonly Verdict[]): Verdict | 'tie' {
  if (grades.length === 0) throw new RangeError('an item without grades has no majority')
  const fails = grades.filter((grade) => grade === 'fail').length
  if (fails * 2 === grades.length) return 'tie'
  return fails * 2 > grades.length ? 'fail' : 'pass'
}
