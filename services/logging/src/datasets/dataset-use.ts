import type { Identity } from '@ratchet/contracts/identity'
import { datasetReaders } from '@ratchet/contracts/internal-eval'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** Whether a job still has to read the dataset with this public id. */
export type IsDatasetInUse = (identity: Identity, datasetId: string) => Promise<boolean>

/**
 * Asks the services whose jobs read datasets.
 *
 * @throws ServiceError `service_unavailable` when one does not answer: a dataset is not deleted on a guess
 */
export function createIsDatasetInUse(evals: Pick<FleetClient, 'call'>): IsDatasetInUse {
  return async (identity, datasetId) => {
    const query = { dataset_id: datasetId }
    const { evals: readers } = await evals.call(datasetReaders, { query }, identity).catch(refuse)
    return readers > 0
  }
}

function refuse(cause: unknown): never {
  if (!(cause instanceof FleetCallError)) throw cause
  const message = 'Could not check whether a job still reads this dataset. Retry.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
