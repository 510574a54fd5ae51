import type { DoneJudgement, JudgementFailure } from '../judgements/judgement.ts'
import { calibrationNotes } from './calibration-notes.ts'
import type { CalibrationResult } from './calibration-result.ts'
import { type MeasuredRow, measureJudge } from './measure-judge.ts'
import { mostFrequent } from './most-frequent.ts'

/** What a calibration needs of a judgement. */
export type JudgedRow = Pick<
  DoneJudgement,
  'human' | 'verdict' | 'failure' | 'weight' | 'judgeModelResolved' | 'judgeFingerprint'
>

export interface JudgedRows {
  readonly rows: readonly JudgedRow[]
  /** Why judgements were given up, and how many. */
  readonly poisoned: readonly { readonly reason: string; readonly count: number }[]
  readonly ties: number
  readonly tuned: number
  /** Calibrations of the instrument that are DONE, without this one. */
  readonly earlierLooks: number
}

export type Conclusion =
  | { readonly kind: 'done'; readonly result: CalibrationResult }
  | { readonly kind: 'failed'; readonly error: string; readonly result: CalibrationResult }

/** Share of rows without a readable verdict above which the rest cannot stand for all. */
const maxUnparseable = 0.05

/** What follows from the judgements of a calibration when all of them are over. */
export function concludeCalibration({ rows, poisoned, ties, tuned, earlierLooks }: JudgedRows): Conclusion {
  const unparseable = rows.filter(({ failure }) => failure === 'unparseable').length
  const seen = { models: mostFrequent(rows.map(modelOf)), fingerprints: mostFrequent(rows.map(fingerprintOf)) }
  const result: CalibrationResult = {
    ties,
    tuned,
    unparseable,
    measures: null,
    looks: 0,
    judgeModelResolved: seen.models[0]?.value ?? null,
    judgeFingerprint: seen.fingerprints[0]?.value ?? null,
    notes: [],
  }
  const error = unjudged(rows, poisoned) ?? unreadable(unparseable, rows.length)
  if (error !== null) return { kind: 'failed', error, result }
  const measures = measureJudge(rows.flatMap(measuredOf))
  const notes = calibrationNotes({ measures, tuned, ...seen })
  return { kind: 'done', result: { ...result, measures, looks: earlierLooks + 1, notes } }
}

function modelOf({ judgeModelResolved }: JudgedRow): string | null {
  return judgeModelResolved
}

function fingerprintOf({ judgeFingerprint }: JudgedRow): string | null {
  return judgeFingerprint
}

function measuredOf({ human, verdict, weight }: JudgedRow): readonly MeasuredRow[] {
  return human === null || verdict === null ? [] : [{ human, verdict, weight }]
}

const failureNames: Readonly<Record<Exclude<JudgementFailure, 'unparseable'>, string>> = {
  gone: 'what was graded is gone',
  too_large: 'too large for the judge',
  refused: 'refused by the provider',
  over_cap: 'over a spend cap',
}

/** Rows that were not judged at all may be other than the rest, so that the rest cannot speak for them. */
function unjudged(rows: readonly JudgedRow[], poisoned: JudgedRows['poisoned']): string | null {
  const failures = rows.flatMap(({ failure }) =>
    failure === null || failure === 'unparseable' ? [] : [failureNames[failure]],
  )
  const reasons = [
    ...mostFrequent(failures).map(({ value, count }) => ({ reason: value, count })),
    ...poisoned.map(({ reason, count }) => ({ reason: `given up (${reason})`, count })),
  ]
  const missing = reasons.reduce((total, { count }) => total + count, 0)
  if (missing === 0) return null
  const total = rows.length + poisoned.reduce((sum, { count }) => sum + count, 0)
  const listed = reasons.slice(0, 5).map(({ reason, count }) => `${count} ${reason}`)
  return `${missing} of ${total} rows could not be judged: ${listed.join('; ')}.`
}

function unreadable(unparseable: number, total: number): string | null {
  if (unparseable <= maxUnparseable * total) return null
  return `${unparseable} of ${total} rows have no readable verdict; at most 5 % may be without one. Say in the judge prompt what makes an answer fail, or choose another judge model.`
}
