import type { JudgementSource } from '../judgements/judgement.ts'

/** What is judged again and again as traffic comes by: paid under the weekly cap of the criterion. */
const weekly: readonly JudgementSource[] = ['online', 'gate', 'shadow']

/** As a list of SQL. */
export const weeklySources = `(${weekly.map((source) => `'${source}'`).join(', ')})`

export function isWeekly(source: JudgementSource): boolean {
  return weekly.includes(source)
}
