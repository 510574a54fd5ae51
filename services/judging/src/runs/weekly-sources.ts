import type { JudgementSource } from '../judgements/judgement.ts'

/** Sources of judgements that the weekly cap of the criterion limits. */
const weekly: readonly JudgementSource[] = ['online', 'gate', 'shadow', 'drift_replay']

/** The same as a list in SQL. */
export const weeklySources = `(${weekly.map((source) => `'${source}'`).join(', ')})`

export function isWeekly(source: JudgementSource): boolean {
  return weekly.includes(source)
}
