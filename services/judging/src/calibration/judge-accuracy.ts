import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { JudgeMeasures } from './calibration-result.ts'

/** What a calibration says of a judge, as corrections take it; null with one class only. */
export function judgeAccuracy({ tpr, tnr, effectiveNFail, effectiveNPass }: JudgeMeasures): JudgeAccuracy | null {
  if (tpr === null || tnr === null) return null
  return {
    truePositives: tpr * effectiveNFail,
    humanFails: effectiveNFail,
    trueNegatives: tnr * effectiveNPass,
    humanPasses: effectiveNPass,
  }
}
