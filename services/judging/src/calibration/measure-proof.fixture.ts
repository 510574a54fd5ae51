import type { Verdict } from '@ratchet/contracts/criteria'
import { TRUST_BAR } from '@ratchet/stats/grades-needed'
import { normalQuantile } from '@ratchet/stats/special/normal-quantile'
import { stratifiedRate } from '@ratchet/stats/stratified-rate'
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
 * The low end of an interval lies between two of the 4,000 sorted draws of a calibration, the 100th and the 101st. It is below the
 * bar when so many of the first draws are: parts of all draws that show it soon, with the critical value that looks there.
 */
const firstDraws = [400, 1_200].map((draws) => ({ draws, z: -normalQuantile(101 / (draws - 1)) }))

/** Whether the first draws already tell that the interval of a class ends below the bar. */
function isBelowBar(rows: readonly MeasuredRow[], human: Verdict, seed: string): boolean {
  const strata = drawsOf(rows).flatMap((draw) => draw.strata.map((each) => rateStratum(each, human)))
  return firstDraws.some((options) => (stratifiedRate(strata, { seed, ...options })?.interval.low ?? 1) < TRUST_BAR)
}

/** A count that proves as little as one whose interval ends below the bar. */
function notProven({ trials }: ClassCount): ClassCount {
  return { found: TRUST_BAR * trials, trials }
}

/**
 * Measures a judge as a calibration does wherever it is trusted. Otherwise it says no more than that a class is not proven, because
 * intervals take most of the time of a simulation: what cannot be proven needs none, and often a part of its draws is enough.
 *
 * @param options.knowsOpen whether it must be known which of the classes are not proven, not only that one is
 */
export function measureProof(
  rows: readonly MeasuredRow[],
  seed: string,
  { knowsOpen }: { readonly knowsOpen: boolean },
): JudgeMeasures {
  const best = { fail: mostProven(rows, 'fail'), pass: mostProven(rows, 'pass') }
  const verdicts = (['fail', 'pass'] as const).filter((human) => best[human] !== null)
  const isHopeless = (human: Verdict) => best[human] !== null && !mayBeTrusted(best[human])
  const isOpen = (human: Verdict) => isHopeless(human) || isBelowBar(rows, human, seed)
  const one = () => verdicts.find(isHopeless) ?? verdicts.find(isOpen)
  const open = knowsOpen ? verdicts.filter(isOpen) : [one()]
  if (!verdicts.some((human) => open.includes(human))) return measureJudge(rows, seed)
  const counted = (human: Verdict) => {
    const count = best[human]
    if (count === null || (knowsOpen && !open.includes(human))) return countClass(rows, human, seed)
    return open.includes(human) ? notProven(count) : count
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
