import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { JudgeMeasures } from './calibration-result.ts'

/** What a calibration says of a judge, for corrections of rates. */
export interface KnownAccuracy {
  /** Items that people left out, and those without a readable verdict, count as errors of the judge. */
  readonly withUnanswered: JudgeAccuracy
  /** Of the graded items with a readable verdict alone. */
  readonly answered: JudgeAccuracy
}

type ClassMeasures = Pick<JudgeMeasures, 'tpr' | 'tnr' | 'effectiveNFail' | 'effectiveNPass'>

/** The measures as counts, for corrections; null when all grades are of one class. */
export function judgeAccuracy({ tpr, tnr, effectiveNFail, effectiveNPass }: ClassMeasures): JudgeAccuracy | null {
  if (tpr === null || tnr === null) return null
  return {
    truePositives: tpr * effectiveNFail,
    humanFails: effectiveNFail,
    trueNegatives: tnr * effectiveNPass,
    humanPasses: effectiveNPass,
  }
}

/** Null when all grades are of one class. */
export function knownAccuracy(measures: ClassMeasures & Pick<JudgeMeasures, 'answered'>): KnownAccuracy | null {
  const withUnanswered = judgeAccuracy(measures)
  if (withUnanswered === null) return null
  const answered = measures.answered === undefined ? withUnanswered : judgeAccuracy(measures.answered)
  return answered === null ? null : { withUnanswered, answered }
}
