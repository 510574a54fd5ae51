import type { Verdict } from '@ratchet/contracts/criteria'
import { cohenKappa } from '@ratchet/stats/cohen-kappa'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import { type TrustSide, trustDecision } from '@ratchet/stats/trust-decision'
import type { JudgeMeasures } from './calibration-result.ts'
import { type ClassCount, countClass } from './count-class.ts'
import { kappaNote } from './kappa-note.ts'
import type { MeasuredRow } from './measured-row.ts'

/** Measures a judge against grades. Rows with different sampling probabilities are weighted. */
export function measureJudge(rows: readonly MeasuredRow[]): JudgeMeasures {
  const confusion = confusionOf(rows)
  const sampling = new Set(rows.map(({ samplingProbability }) => samplingProbability)).size > 1 ? 'weighted' : 'random'
  const fails = sampling === 'weighted' ? countClass(rows, 'fail') : unweighted(confusion.tp, confusion.fn)
  const passes = sampling === 'weighted' ? countClass(rows, 'pass') : unweighted(confusion.tn, confusion.fp)
  const decision = trustDecision({
    truePositives: fails.found,
    humanFails: fails.trials,
    trueNegatives: passes.found,
    humanPasses: passes.trials,
  })
  const kappa = cohenKappa(confusion)
  return {
    confusion,
    sampling,
    tpr: decision.tpr?.rate ?? null,
    tnr: decision.tnr?.rate ?? null,
    tprCi: boundsOf(decision.tpr),
    tnrCi: boundsOf(decision.tnr),
    kappa,
    kappaNote: kappaNote(confusion, kappa),
    trust: decision.trust,
    failGradesNeeded: decision.failGradesNeeded,
    passGradesNeeded: decision.passGradesNeeded,
    effectiveNFail: fails.trials,
    effectiveNPass: passes.trials,
  }
}

function confusionOf(rows: readonly MeasuredRow[]): ConfusionCounts {
  const count = (human: Verdict, verdict: Verdict) =>
    rows.filter((row) => row.human === human && row.verdict === verdict).length
  return { tp: count('fail', 'fail'), fn: count('fail', 'pass'), fp: count('pass', 'fail'), tn: count('pass', 'pass') }
}

function unweighted(found: number, missed: number): ClassCount {
  return { found, trials: found + missed }
}

function boundsOf(side: TrustSide | null): [number, number] | null {
  return side === null ? null : [side.interval.low, side.interval.high]
}
