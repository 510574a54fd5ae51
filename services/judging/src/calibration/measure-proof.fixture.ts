import type { Verdict } from '@ratchet/contracts/criteria'
import { TRUST_BAR } from '@ratchet/stats/grades-needed'
import { trustDecision } from '@ratchet/stats/trust-decision'
import { wilsonInterval } from '@ratchet/stats/wilson-interval'
import type { JudgeMeasures } from './calibration-result.ts'
import { type ClassCount, countClass } from './count-class.ts'
import { measureJudge } from './measure-judge.ts'
import type { MeasuredRow } from './measured-row.ts'
import { drawsOf, rateStratum } from './strata.ts'

/**
 * What a stratified interval can prove at most, of rows of one draw: it never counts for more rows than were graded. Null where
 * counts are exact anyway, or the class has no rows.
 */
function mostProven(rows: readonly MeasuredRow[], human: Verdict): ClassCount | null {
  const [draw, ...others] = drawsOf(rows)
  if (draw === undefined || others.length > 0 || draw.strata.length < 2) return null
  let [found, missed, graded] = [0, 0, 0]
  for (const stratum of draw.strata.map((each) => rateStratum(each, human))) {
    const weight = stratum.rows / (stratum.found + stratum.missed + stratum.others)
    found += weight * stratum.found
    missed += weight * stratum.missed
    graded += stratum.found + stratum.missed + (stratum.verdict === null ? 0 : stratum.others)
  }
  if (found + missed === 0) return null
  return { found: (found / (found + missed)) * graded, trials: graded }
}

/** The right to act needs trust too. */
function mayBeTrusted({ found, trials }: ClassCount): boolean {
  return (wilsonInterval(found, trials)?.low ?? 0) >= TRUST_BAR
}

/**
 * Measures a judge as a calibration does wherever it may be trusted. Where no interval can prove one class, the judge is not
 * trusted, and the interval, which takes most of the time of a simulation, is not computed.
 *
 * @param options.knowsOpen whether it must be known which of the classes is proven, not only whether both are
 */
export function measureProof(
  rows: readonly MeasuredRow[],
  seed: string,
  { knowsOpen }: { readonly knowsOpen: boolean },
): JudgeMeasures {
  const best = { fail: mostProven(rows, 'fail'), pass: mostProven(rows, 'pass') }
  const isOpen = (count: ClassCount | null) => count !== null && !mayBeTrusted(count)
  if (!isOpen(best.fail) && !isOpen(best.pass)) return measureJudge(rows, seed)
  const counted = (human: Verdict) => {
    const count = best[human]
    return count !== null && (isOpen(count) || !knowsOpen) ? count : countClass(rows, human, seed)
  }
  const [fails, passes] = [counted('fail'), counted('pass')]
  const { trust, tpr, tnr } = trustDecision({
    truePositives: fails.found,
    humanFails: fails.trials,
    trueNegatives: passes.found,
    humanPasses: passes.trials,
  })
  return {
    confusion: { tp: 0, fn: 0, fp: 0, tn: 0 },
    sampling: 'weighted',
    picked: 0,
    unanswered: 0,
    tpr: tpr?.rate ?? null,
    tnr: tnr?.rate ?? null,
    tprCi: tpr === null ? null : [tpr.interval.low, tpr.interval.high],
    tnrCi: tnr === null ? null : [tnr.interval.low, tnr.interval.high],
    kappa: null,
    kappaNote: null,
    trust,
    failGradesNeeded: null,
    passGradesNeeded: null,
    effectiveNFail: fails.trials,
    effectiveNPass: passes.trials,
  }
}
