import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { JudgeMeasures } from './calibration-result.ts'

/** The measures as counts, for corrections; null when all grades are of one class. */
export function judgeAccuracy({ tpr, tnr, effectiveNFail, effectiveNPass }: JudgeMeasures): JudgeAccuracy | null {
  if (tpr === null || tnr === null) return null
  return {
    truePositives: tpr * effectiveNFail,
    humanFails: effectiveNFail,
    trueNegatives: tnr * effectiveNPass,
    humanPasses: effectiveNPass,
  }
}
