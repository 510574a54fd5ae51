import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgeMeasures } from '../calibration/calibration-result.ts'
import type { OpenStratum } from './choose-candidates.ts'
import { judgedVerdictOf } from './grading-frame.ts'

/** Grades by human class and verdict of the judge: fails that it found and missed, passes that it missed and found. */
export type Tally = number[]

/** A stratum with what is known of it. */
export interface ForecastStratum {
  readonly rows: number
  readonly verdict: Verdict | null
  /** Shapes of a Dirichlet distribution of the shares of a tally; 0 for what cannot occur. */
  readonly shapes: readonly number[]
  /** Grades that other draws gave to the current calibration. */
  readonly elsewhere: Readonly<Record<Verdict, { readonly found: number; readonly trials: number }>>
  /** Its grades in one draw, given the shares of it. */
  readonly start: (truth: readonly number[], random: () => number) => Tally
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
  return strata.map((each) => judgedStratum(each, elsewhere))
}

function judgedStratum(
  { stratum, ranked, humans }: OpenStratum,
  elsewhere: ForecastStratum['elsewhere'],
): ForecastStratum {
  const verdict = judgedVerdictOf(stratum)
  const { fail, pass } = humans
  const grades = verdict === 'fail' ? [fail, 0, pass, 0] : [0, fail, 0, pass]
  const shapes = grades.map((count, index) => ((index % 2 === 0) === (verdict === 'fail') ? count + 0.5 : 0))
  return { rows: ranked.length, verdict, shapes, elsewhere, start: () => [...grades] }
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
    const tally = [...counted]
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
  const shapes = counted.map((count) => count + 0.5)
  return [{ rows: ranked.length, verdict: null, shapes, elsewhere: { fail: nothing, pass: nothing }, start }]
}

/** Shares of a stratum as they may be. */
export function drawTruth({ shapes }: ForecastStratum, gamma: (shape: number) => number): readonly number[] {
  const parts = shapes.map((shape) => (shape === 0 ? 0 : gamma(shape)))
  const total = parts.reduce((sum, part) => sum + part, 0)
  return parts.map((part) => (total === 0 ? 0 : part / total))
}
