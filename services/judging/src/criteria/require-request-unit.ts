import { ServiceError } from '@ratchet/service-kit/service-error'
import type { StoredCriterion } from './criterion.ts'

/** @throws ServiceError for a judge of whole runs, which are graded and judged elsewhere */
export function requireRequestUnit({ unit }: Pick<StoredCriterion, 'unit'>): void {
  if (unit === 'request') return
  throw new ServiceError('unsupported_unit', 'This judge judges whole runs; here single exchanges are judged.', {
    param: 'id',
  })
}
