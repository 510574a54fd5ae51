import type { Verdict } from '@ratchet/contracts/criteria'

/**
 * The verdict of people about an item. Ties are left out of measurements.
 *
 * @throws RangeError without grades
 */
export function majorityOf(grades: readonly Verdict[]): Verdict | 'tie' {
  if (grades.length === 0) throw new RangeError('an item without grades has no majority')
  const fails = grades.filter((grade) => grade === 'fail').length
  return majorityIn({ fails, passes: grades.length - fails })
}

/** The verdict of counted grades, of which there must be one. */
export function majorityIn({ fails, passes }: { readonly fails: number; readonly passes: number }): Verdict | 'tie' {
  if (fails === passes) return 'tie'
  return fails > passes ? 'fail' : 'pass'
}
