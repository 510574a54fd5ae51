import type { Verdict } from '@ratchet/contracts/criteria'
import { cohenKappa } from '@ratchet/stats/cohen-kappa'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import { type TrustSide, trustDecision } from '@ratchet/stats/trust-decision'
import type { JudgeMeasures } from './calibration-result.ts'
import { countClass } from './count-class.ts'
import { kappaNote } from './kappa-note.ts'
import type { MeasuredRow } from './measured-row.ts'
import { drawsOf, pickedStratum } from './strata.ts'

/**
 * Measures a judge against grades, by the way in which each graded row was chosen. Where it gave no readable verdict it was wrong:
 * it missed a fail, or a pass.
 *
 * @param seed makes the intervals of rows that were drawn by strata repeatable
 */
export function measureJudge(rows: readonly MeasuredRow[], seed = ''): JudgeMeasures {
  const confusion = confusionOf(rows)
  const isWeighted = drawsOf(rows).some(({ strata }) => strata.length > 1)
  const { fails, passes, decision } = measureClasses(rows, seed)
  const answered = rows.filter(({ human, verdict }) => human !== null && verdict !== null)
  const kappa = cohenKappa(confusion)
  return {
    confusion,
    sampling: isWeighted ? 'weighted' : 'random',
    picked: rows.filter(({ stratum }) => stratum === pickedStratum).length,
    unanswered: rows.filter(({ human }) => human === null).length,
    ...ratesOf({ fails, passes, decision }),
    tprCi: boundsOf(decision.tpr),
    tnrCi: boundsOf(decision.tnr),
    kappa,
    kappaNote: kappaNote(confusion, kappa),
    trust: decision.trust,
    failGradesNeeded: decision.failGradesNeeded,
    passGradesNeeded: decision.passGradesNeeded,
    ...(answered.length === rows.length ? {} : { answered: ratesOf(measureClasses(answered, seed)) }),
  }
}

function measureClasses(rows: readonly MeasuredRow[], seed: string) {
  const fails = countClass(rows, 'fail', seed)
  const passes = countClass(rows, 'pass', seed)
  const decision = trustDecision({
    truePositives: fails.found,
    humanFails: fails.trials,
    trueNegatives: passes.found,
    humanPasses: passes.trials,
  })
  return { fails, passes, decision }
}

function ratesOf({ fails, passes, decision }: ReturnType<typeof measureClasses>) {
  return {
    tpr: decision.tpr?.rate ?? null,
    tnr: decision.tnr?.rate ?? null,
    effectiveNFail: fails.trials,
    effectiveNPass: passes.trials,
  }
}

function confusionOf(rows: readonly MeasuredRow[]): ConfusionCounts {
  const count = (human: Verdict, verdict: Verdict) =>
    rows.filter((row) => row.human === human && row.verdict === verdict).length
  return { tp: count('fail', 'fail'), fn: count('fail', 'pass'), fp: count('pass', 'fail'), tn: count('pass', 'pass') }
}

function boundsOf(side: TrustSide | null): [number, number] | null {
  return side === null ? null : [side.interval.low, side.interval.high]
}
