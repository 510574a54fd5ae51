import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { StoredCriterion } from './criterion.ts'

/** @throws ServiceError `unsupported_unit` for a judge of whole agent runs */
export function requireRequestUnit({ unit }: Pick<StoredCriterion, 'unit'>): void {
  if (unit === 'request') return
  throw new ServiceError(
    'unsupported_unit',
    'This judge judges whole runs. This endpoint needs a judge of single exchanges.',
    {
      param: 'id',
    },
  )
}
