import type { Verdict } from '@ratchet/contracts/criteria'
import { stratifiedRate } from '@ratchet/stats/stratified-rate'
import type { MeasuredRow } from './measured-row.ts'
import { type Draw, drawsOf, rateStratum } from './strata.ts'

/** Rows of one human class, as an effective number of rows of equal weight; may be fractional. */
export interface ClassCount {
  /** Rows with the same verdict of the judge. */
  readonly found: number
  readonly trials: number
}

/**
 * Counts a class at its effective size. Each draw is measured alone, because each represents the traffic: one without strata
 * by its counts, one with strata by the interval that its strata allow. Weights alone would prove too much, because a stratum
 * that is sampled thinly may hide errors of which none was drawn.
 *
 * @param seed of the draws from the posterior; the same seed gives the same count
 */
export function countClass(rows: readonly MeasuredRow[], human: Verdict, seed: string): ClassCount {
  const counts = drawsOf(rows).map((draw) => countDraw(draw, human, seed))
  return {
    found: counts.reduce((total, { found }) => total + found, 0),
    trials: counts.reduce((total, { trials }) => total + trials, 0),
  }
}

function countDraw({ strata }: Draw, human: Verdict, seed: string): ClassCount {
  const counted = strata.map((rows) => rateStratum(rows, human))
  const [only] = counted
  if (only !== undefined && counted.length === 1) return { found: only.found, trials: only.found + only.missed }
  const rated = stratifiedRate(counted, { seed })
  return rated === null ? none : { found: rated.effectiveSuccesses, trials: rated.effectiveTrials }
}

const none: ClassCount = { found: 0, trials: 0 }
