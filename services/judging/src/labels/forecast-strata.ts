import type { Verdict } from '@ratchet/contracts/criteria'
import type { CurveStratum } from '@ratchet/stats/grading-curve'
import type { ClassGrades, Tally } from '@ratchet/stats/tally-class'
import type { JudgeMeasures } from '../calibration/calibration-result.ts'
import type { OpenStratum } from './choose-candidates.ts'
import { judgedVerdictOf, priorGroupOf } from './grading-frame.ts'

/** A stratum with what is known of it. */
export interface ForecastStratum extends CurveStratum {
  /** Grades that other draws gave to the current calibration. */
  readonly elsewhere: Readonly<Record<Verdict, ClassGrades>>
}

/** Null while too little is known of one class to say anything about the rate. */
export function forecastStrata(
  strata: readonly OpenStratum[],
  measures: JudgeMeasures | null,
): readonly ForecastStratum[] | null {
  const [only] = strata
  if (only === undefined) return null
  const isJudged = judgedVerdictOf(only.stratum) !== null
  if (!isJudged) return measures === null ? null : randomStratum(only, measures)
  const humans = { fail: 0, pass: 0 }
  for (const each of strata) {
    humans.fail += each.humans.fail
    humans.pass += each.humans.pass
  }
  const elsewhere = {
    fail: elsewhereOf(measures, 'fail', humans.fail),
    pass: elsewhereOf(measures, 'pass', humans.pass),
  }
  if (humans.fail + elsewhere.fail.trials === 0 || humans.pass + elsewhere.pass.trials === 0) return null
  return strata.map((each) => {
    const sharing = strata.filter(({ stratum }) => judgedVerdictOf(stratum) === judgedVerdictOf(each.stratum))
    return judgedStratum(each, { elsewhere, priorPart: Math.min(1, mostPriors / sharing.length) })
  })
}

/**
 * Strata with one verdict share so many priors. With a whole one each, which adds up, a plan asks for far too many grades.
 * With one for all, what a large stratum may hide counts for too little, and plans for judges near the bar are too short.
 */
const mostPriors = 1.5

interface StratumPrior {
  readonly elsewhere: ForecastStratum['elsewhere']
  /** Share of a whole prior, 0..1. */
  readonly priorPart: number
}

function judgedStratum(
  { stratum, ranked, humans }: OpenStratum,
  { elsewhere, priorPart }: StratumPrior,
): ForecastStratum {
  const verdict = judgedVerdictOf(stratum)
  const { fail, pass } = humans
  const grades = verdict === 'fail' ? [fail, 0, pass, 0] : [0, fail, 0, pass]
  const isPossible = (index: number) => (index % 2 === 0) === (verdict === 'fail')
  const shapes = grades.map((count, index) => (isPossible(index) ? count + priorPart * priorOf(index) : 0))
  const priorGroup = priorGroupOf(stratum)
  return { rows: ranked.length, verdict, priorGroup, shapes, elsewhere, start: () => [...grades] }
}

/** Grades of the class that the calibration counted, beyond those of this frame. */
function elsewhereOf(measures: JudgeMeasures | null, human: Verdict, own: number) {
  if (measures === null) return nothing
  const { tp, fn, fp, tn } = measures.confusion
  const rate = human === 'fail' ? measures.tpr : measures.tnr
  const effective = human === 'fail' ? measures.effectiveNFail : measures.effectiveNPass
  const trials = Math.max(0, Math.min(effective, (human === 'fail' ? tp + fn : fp + tn) - own))
  return rate === null ? nothing : { found: rate * trials, trials }
}

const nothing = { found: 0, trials: 0 }

/** Verdicts of a frame without strata are those of the calibration. Grades that it did not count are judged in the draws. */
function randomStratum({ ranked, humans }: OpenStratum, measures: JudgeMeasures): readonly ForecastStratum[] | null {
  const { tpr, tnr, effectiveNFail, effectiveNPass } = measures
  if (tpr === null || tnr === null) return null
  const found = { fail: tpr * effectiveNFail, pass: tnr * effectiveNPass }
  const counted = [found.fail, effectiveNFail - found.fail, effectiveNPass - found.pass, found.pass]
  const waiting = { fail: Math.max(0, humans.fail - effectiveNFail), pass: Math.max(0, humans.pass - effectiveNPass) }
  const start: ForecastStratum['start'] = (truth, random) => {
    const tally: Tally = [...counted]
    for (const [hit, miss, count] of [
      [0, 1, waiting.fail],
      [3, 2, waiting.pass],
    ] as const) {
      const rate = (truth[hit] ?? 0) / ((truth[hit] ?? 0) + (truth[miss] ?? 0))
      for (let grade = 0; grade < count; grade += 1) {
        const place = random() < rate ? hit : miss
        tally[place] = (tally[place] ?? 0) + 1
      }
    }
    return tally
  }
  const shapes = counted.map((count, index) => count + priorOf(index))
  return [{ rows: ranked.length, verdict: null, shapes, elsewhere: { fail: nothing, pass: nothing }, start }]
}

/**
 * What is assumed before any grade: one miss and half a find of each class, as in `stratifiedRate`. With less than a miss, a
 * judge without errors so far seems to be almost perfect, and chances are too high for judges that are not.
 */
function priorOf(cell: number): number {
  return cell === 1 || cell === 2 ? 1 : 0.5
}
