import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { StoredCriterion } from '../criteria/criterion.ts'

/** A filter and the population of a judge that it reaches beyond. */
export interface OutsidePopulation {
  readonly field: 'tag' | 'segment'
  readonly population: string
}

/** The traffic that a judge may look at, narrowed by filters; what it has in common with none of them is empty. */
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

/** The first filter that asks for traffic which the judge was never meant for; null when there is none. */
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
