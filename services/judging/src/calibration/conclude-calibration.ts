import type { DoneJudgement, JudgementFailure } from '../judgements/judgement.ts'
import { calibrationNotes } from './calibration-notes.ts'
import type { CalibrationResult } from './calibration-result.ts'
import { measureJudge } from './measure-judge.ts'
import type { MeasuredRow } from './measured-row.ts'
import { mostFrequent } from './most-frequent.ts'

export type JudgedRow = Pick<
  DoneJudgement,
  'human' | 'verdict' | 'failure' | 'samplingProbability' | 'stratum' | 'judgeModelResolved' | 'judgeFingerprint'
>

export interface JudgedRows {
  /** Id of the run, from which the draws of intervals are seeded. */
  readonly runId: string
  readonly rows: readonly JudgedRow[]
  /** Reasons why judgements were dead-lettered. */
  readonly deadLettered: readonly { readonly reason: string; readonly count: number }[]
  readonly ties: number
  readonly tuned: number
  readonly leftOut: number
  readonly incomplete: number
  /** Number of finished calibrations of the instrument, without this one. */
  readonly earlierLooks: number
}

export type Conclusion =
  | { readonly kind: 'done'; readonly result: CalibrationResult }
  | { readonly kind: 'failed'; readonly error: string; readonly result: CalibrationResult }

/** With a larger share of unreadable verdicts the rest may not be representative. */
const maxUnparseable = 0.05

/** Computes the result of a calibration when all its judgements are over. */
export function concludeCalibration(judged: JudgedRows): Conclusion {
  const { rows, deadLettered, ties, tuned, earlierLooks } = judged
  const unparseable = rows.filter(({ failure }) => failure === 'unparseable').length
  const seen = { models: mostFrequent(rows.map(modelOf)), fingerprints: mostFrequent(rows.map(fingerprintOf)) }
  const result: CalibrationResult = {
    ties,
    tuned,
    leftOut: judged.leftOut,
    incomplete: judged.incomplete,
    unparseable,
    measures: null,
    looks: 0,
    judgeModelResolved: seen.models[0]?.value ?? null,
    judgeFingerprint: seen.fingerprints[0]?.value ?? null,
    notes: [],
  }
  const error = unjudged(rows, deadLettered) ?? unreadable(unparseable, rows.length)
  if (error !== null) return { kind: 'failed', error, result }
  const measures = measureJudge(rows.flatMap(measuredOf), judged.runId)
  const notes = calibrationNotes({ measures, tuned, leftOut: judged.leftOut, incomplete: judged.incomplete, ...seen })
  return { kind: 'done', result: { ...result, measures, looks: earlierLooks + 1, notes } }
}

function modelOf({ judgeModelResolved }: JudgedRow): string | null {
  return judgeModelResolved
}

function fingerprintOf({ judgeFingerprint }: JudgedRow): string | null {
  return judgeFingerprint
}

function measuredOf({ human, verdict, samplingProbability, stratum }: JudgedRow): readonly MeasuredRow[] {
  return human === null || verdict === null ? [] : [{ human, verdict, samplingProbability, stratum }]
}

const failureNames: Readonly<Record<Exclude<JudgementFailure, 'unparseable'>, string>> = {
  gone: 'missing',
  too_large: 'too large for the judge',
  refused: 'refused by the provider',
  over_cap: 'over a spend cap',
}

/** A calibration fails when rows were not judged, because these may differ from the rest. */
function unjudged(rows: readonly JudgedRow[], deadLettered: JudgedRows['deadLettered']): string | null {
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

function unreadable(unparseable: number, total: number): string | null {
  if (unparseable <= maxUnparseable * total) return null
  return `${unparseable} of ${total} rows have no readable verdict; at most 5 % may be without one. Say in the judge prompt what makes an answer fail, or choose another judge model.`
}
