import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { createRecentMap } from '@ratchet/service-kit/values/recent-map'
import { type ForecastFacts, type GradesForecast, planGrading } from './plan-grading.ts'

/** Forecasts of grading plans. */
export interface Forecasts {
  /** @param criterionId UUID; the last forecast of each judge and strategy is remembered */
  of(criterionId: string, facts: ForecastFacts): Promise<GradesForecast>
}

interface Remembered {
  readonly facts: string
  readonly forecast: Promise<GradesForecast>
}

const maxRemembered = 1_000

/**
 * Computes forecasts in slices, because one takes hundreds of milliseconds of a process that serves everybody. As long as nothing
 * is graded, one that is requested again costs nothing: the same facts have the same forecast.
 */
export function createForecasts(work: SlicedWork): Forecasts {
  const remembered = createRecentMap<Remembered>(maxRemembered)
  return {
    of(criterionId, known) {
      const facts = factsOf(known)
      const key = `${criterionId} ${known.strategy}`
      const last = remembered.get(key)
      if (last?.facts === facts) return last.forecast
      const forecast = work.run(planGrading(known))
      remembered.set(key, { facts, forecast })
      return forecast
    },
  }
}

/** All that a forecast depends on: numbers of items, not the items. */
function factsOf({ strata, ...rest }: ForecastFacts): string {
  const counts = strata.map(({ stratum, items, ranked, graded, humans }) => {
    return [stratum, items.length, ranked.length, graded, humans.fail, humans.pass]
  })
  return JSON.stringify([rest, counts])
}
