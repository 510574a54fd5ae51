import type { DoneJudgement } from '../judgements/judgement.ts'
import { calibrationNotes } from './calibration-notes.ts'
import type { CalibrationResult } from './calibration-result.ts'
import type { ItemWeight } from './graded-items.ts'
import { measureJudge } from './measure-judge.ts'
import { type MeasuredRow, unansweredRow } from './measured-row.ts'
import { mostFrequent } from './most-frequent.ts'
import { repeatsOf } from './repeats.ts'
import { type DeadLettered, unjudgedRows } from './unjudged-rows.ts'

export type JudgedRow = Pick<
  DoneJudgement,
  | 'labelId'
  | 'human'
  | 'verdict'
  | 'failure'
  | 'samplingProbability'
  | 'stratum'
  | 'judgeModelResolved'
  | 'judgeFingerprint'
>

export interface JudgedRows {
  /** Id of the run, from which the draws of intervals are seeded. */
  readonly runId: string
  readonly rows: readonly JudgedRow[]
  /** Second verdicts on some of the rows. */
  readonly again: readonly Pick<JudgedRow, 'labelId' | 'verdict' | 'failure'>[]
  /** Reasons why judgements were dead-lettered. */
  readonly deadLettered: readonly DeadLettered[]
  readonly ties: number
  readonly tuned: number
  readonly leftOut: number
  readonly incomplete: number
  readonly unanswered: readonly ItemWeight[]
  readonly cut: number
  /** Number of finished calibrations of the instrument, without this one. */
  readonly earlierLooks: number
  /** Number of judges with the same prompt and model, and of other prompts and models of this one, that had a chance before. */
  readonly copies: number
}

export type Conclusion =
  | { readonly kind: 'done'; readonly result: CalibrationResult }
  | { readonly kind: 'failed'; readonly error: string; readonly result: CalibrationResult }

/** With a larger share of unreadable verdicts the prompt or the model does not work at all, and the rates say nothing. */
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
    unanswered: judged.unanswered,
    cut: judged.cut,
    unparseable,
    measures: null,
    repeats: null,
    looks: 0,
    judgeModelResolved: seen.models[0]?.value ?? null,
    judgeFingerprint: seen.fingerprints[0]?.value ?? null,
    notes: [],
  }
  const error = unjudgedRows(rows, deadLettered) ?? unreadable(unparseable, rows.length)
  if (error !== null) return { kind: 'failed', error, result }
  const measuredRows = [...rows.flatMap(measuredOf), ...judged.unanswered.map(unansweredRow)]
  const measures = { ...measureJudge(measuredRows, judged.runId), cut: judged.cut, copies: judged.copies }
  const repeats = repeatsOf(rows, judged.again)
  const { leftOut, incomplete } = judged
  const notes = calibrationNotes({ measures, repeats, unparseable, tuned, leftOut, incomplete, ...seen })
  return { kind: 'done', result: { ...result, measures, repeats, looks: earlierLooks + 1, notes } }
}

function modelOf({ judgeModelResolved }: JudgedRow): string | null {
  return judgeModelResolved
}

function fingerprintOf({ judgeFingerprint }: JudgedRow): string | null {
  return judgeFingerprint
}

/** A row without a readable verdict keeps its place: the judge gave it a verdict that is not that of people. */
function measuredOf({ human, verdict, samplingProbability, stratum }: JudgedRow): readonly MeasuredRow[] {
  return human === null ? [] : [{ human, verdict, samplingProbability, stratum }]
}

function unreadable(unparseable: number, total: number): string | null {
  if (unparseable <= maxUnparseable * total) return null
  return `${unparseable} of ${total} rows have no readable verdict; at most 5 % may be without one. Say in the judge prompt what makes an answer fail, or choose another judge model.`
}
