import type { Interval } from './interval.ts'
import { randomFromSeed } from './random-from-seed.ts'
import { requireRate } from './require-arguments.ts'
import { randomGamma } from './special/random-gamma.ts'

/** How often a judge is right, as graded. A rate may have fewer effective trials than grades. */
export interface JudgeAccuracy {
  /** Share of failing answers that the judge fails, 0..1. */
  readonly tpr: number
  /** Effective number of graded failing answers, > 0. */
  readonly failing: number
  /** Share of passing answers that the judge passes, 0..1. */
  readonly tnr: number
  /** Effective number of graded passing answers, > 0. */
  readonly passing: number
}

export interface AcceptedRate {
  /** Share of answers that every judge passed, 0..1. */
  readonly rate: number
  /** Effective number of judged answers, > 0: fewer than answers when those to one prompt are alike. */
  readonly trials: number
}

export interface AcceptedPrecision {
  /** Share of answers that truly pass, 0..1. */
  readonly trueRate: number
  /** Share of the accepted answers that truly pass, 0..1. */
  readonly precision: number
}

const draws = 4_000

/**
 * Share of the accepted answers that truly pass: p = (a − φ)/(ψ' − φ) and precision = p·ψ'/a, with a the accepted share, φ the
 * probability that every judge passes a failing answer, and ψ' that every judge passes a passing one. Judges are taken to err
 * independently. Limited to 0..1; null when nothing was accepted, or the judges pass failing answers as often as passing ones.
 *
 * @param judges at least one
 * @throws RangeError when a rate is not in 0..1
 * @see Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510
 * @example acceptedPrecision(0.18, [{ tpr: 0.9, tnr: 0.9 }]) // { trueRate: 0.1, precision: 0.5 }
 */
export function acceptedPrecision(
  accepted: number,
  judges: readonly Pick<JudgeAccuracy, 'tpr' | 'tnr'>[],
): AcceptedPrecision | null {
  requireRate('accepted', accepted)
  let [falsePass, truePass] = [1, 1]
  for (const { tpr, tnr } of judges) {
    requireRate('tpr', tpr)
    requireRate('tnr', tnr)
    falsePass *= 1 - tpr
    truePass *= tnr
  }
  if (accepted === 0 || truePass <= falsePass) return null
  const trueRate = Math.min(1, Math.max(0, (accepted - falsePass) / (truePass - falsePass)))
  return { trueRate, precision: Math.min(1, (trueRate * truePass) / accepted) }
}

/**
 * 95 % interval of {@link acceptedPrecision}, by Monte Carlo: the rates of each judge and the accepted share are drawn from their
 * beta posteriors with a uniform prior, 4,000 times. A draw in which the judges tell nothing apart counts as precision 0.
 *
 * @param seed the same seed gives the same interval
 */
export function acceptedPrecisionInterval(
  accepted: AcceptedRate,
  judges: readonly JudgeAccuracy[],
  seed: string,
): Interval {
  const gamma = randomGamma(randomFromSeed(seed))
  const drawRate = (rate: number, trials: number) => {
    const [hit, missed] = [gamma(rate * trials + 1), gamma((1 - rate) * trials + 1)]
    return hit / (hit + missed)
  }
  const found: number[] = []
  for (let draw = 0; draw < draws; draw += 1) {
    const share = drawRate(accepted.rate, accepted.trials)
    const drawn = judges.map(({ tpr, failing, tnr, passing }) => ({
      tpr: drawRate(tpr, failing),
      tnr: drawRate(tnr, passing),
    }))
    found.push(acceptedPrecision(share, drawn)?.precision ?? 0)
  }
  found.sort((a, b) => a - b)
  const at = (share: number) => found[Math.min(draws - 1, Math.floor(share * draws))] ?? 0
  return { low: at(0.025), high: at(0.975) }
}
