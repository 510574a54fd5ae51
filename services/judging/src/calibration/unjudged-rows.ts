import type { DoneJudgement, JudgementFailure } from '../judgements/judgement.ts'
import { mostFrequent } from './most-frequent.ts'

/** Why judgements were dead-lettered. */
export interface DeadLettered {
  readonly reason: string
  readonly count: number
}

const failureNames: Readonly<Record<Exclude<JudgementFailure, 'unparseable'>, string>> = {
  gone: 'missing',
  too_large: 'too large for the judge',
  refused: 'refused by the provider',
  over_cap: 'over a spend cap',
}

/**
 * Why a calibration fails: rows were not judged, and these may differ from the rest. Null when all were, or have only
 * unreadable verdicts.
 */
export function unjudgedRows(
  rows: readonly Pick<DoneJudgement, 'failure'>[],
  deadLettered: readonly DeadLettered[],
): string | null {
  const failures = rows.flatMap(({ failure }) =>
    failure === null || failure === 'unparseable' ? [] : [failureNames[failure]],
  )
  const reasons = [
    ...mostFrequent(failures).map(({ value, count }) => ({ reason: value, count })),
    ...deadLettered.map(({ reason, count }) => ({ reason: `dead-lettered (${reason})`, count })),
  ]
  const missing = reasons.reduce((total, { count }) => total + count, 0)
  if (missing === 0) return null
  const total = rows.length + deadLettered.reduce((sum, { count }) => sum + count, 0)
  const listed = reasons.slice(0, 5).map(({ reason, count }) => `${count} ${reason}`)
  return `${missing} of ${total} rows could not be judged: ${listed.join('; ')}.`
}
