import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { StoredCriterion } from '../criteria/criterion.ts'

/** A filter that does not match the population of the judge. */
export interface OutsidePopulation {
  readonly field: 'tag' | 'segment'
  readonly population: string
}

/** Filters restricted to the population of a judge. The caller has checked that they do not contradict it. */
export function populationFilters(
  { population, populationFamily }: Pick<StoredCriterion, 'population' | 'populationFamily'>,
  filters: SampleFilters,
): SampleFilters {
  return {
    ...filters,
    ...(population === '' ? {} : { tag: population }),
    ...(populationFamily === '' ? {} : { segment: populationFamily }),
  }
}

/** The first filter for traffic outside of the judge's population; null when there is none. */
export function outsidePopulation(
  { population, populationFamily }: Pick<StoredCriterion, 'population' | 'populationFamily'>,
  { tag, segment }: SampleFilters,
): OutsidePopulation | null {
  if (population !== '' && tag !== undefined && tag !== population) return { field: 'tag', population }
  if (populationFamily !== '' && segment !== undefined && segment !== populationFamily) {
    return { field: 'segment', population: populationFamily }
  }
  return null
}
