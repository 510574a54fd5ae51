import type { Verdict } from '@ratchet/contracts/criteria'

/**
 * What people say of an item. A tie says nothing: it is left out of measurements until somebody else has graded it.
 *
 * @throws RangeError without grades
 */
export function majorityOf(grades: readonly Verdict[]): Verdict | 'tie' {
  if (grades.length === 0) throw new RangeError('an item without grades has no majority')
  const fails = grades.filter((grade) => grade === 'fail').length
  if (fails * 2 === grades.length) return 'tie'
  return fails * 2 > grades.length ? 'fail' : 'pass'
}
