import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { exchangeFilter } from './draw-sample.ts'
import { outsidePopulation } from './population-filters.ts'

/** @throws ServiceError for a filter for traffic outside of the population, or one that runs do not have */
export function requireFilters(criterion: StoredCriterion, filters: SampleFilters): void {
  const outside = outsidePopulation(criterion, filters)
  if (outside !== null) throw outsideError(outside)
  const unknown = criterion.unit === 'trace' ? exchangeFilter(filters) : null
  if (unknown === null) return
  throw invalidRequest(`filters.${unknown}`, 'Runs are filtered only by tag, excluded tags, segment, model and start.')
}

function outsideError({ field, population }: { readonly field: string; readonly population: string }): ServiceError {
  return new ServiceError('invalid_request', `This judge is restricted to the ${field} ${population}.`, {
    param: `filters.${field}`,
  })
}
