import type { ReviewRoundDetails } from '@ratchet/contracts/review-rounds'
import { forecastRound, type RoundForecast } from '@ratchet/stats/forecast-round'

export type ForecastStrata = ReviewRoundDetails['strata']

/** How many further grades prove the judge. The same strata give the same forecast, so that it does not move by itself. */
export function forecastOf(strata: ForecastStrata): RoundForecast {
  return forecastRound(strata, {
    random: numbersFrom(1 + strata.reduce((sum, each) => sum + each.fails * 7 + each.passes, 0)),
  })
}

/** Numbers in [0, 1) that look random, by the generator mulberry32. */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** The forecast as a sentence. */
export function forecastSentence({ expected, likely, curve }: RoundForecast): string {
  if (likely === 0) return 'Both rates are proven by these grades. A calibration makes it official.'
  const about = expected === null ? '' : `About ${expected} more grades, as likely fewer as more. `
  const chance = (grades: number | null) => curve.find((each) => each.grades === grades)?.trusted
  if (likely === null) {
    const best = curve.reduce((most, { trusted }) => Math.max(most, trusted), 0)
    return `${about}No number of grades of this round proves the judge with a chance of 80 %; the best is ${Math.round(best * 100)} %.`
  }
  const half = curve.find(({ trusted }) => trusted >= 0.5)
  const earlier =
    half && half.grades < likely ? `${Math.round(half.trusted * 100)} % after ${half.grades} more grades, ` : ''
  return `${about}Chance to be proven: ${earlier}${Math.round((chance(likely) ?? 0) * 100)} % after ${likely}.`
}
