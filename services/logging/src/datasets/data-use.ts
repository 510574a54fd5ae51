import type { Identity } from '@ratchet/contracts/identity'
import { datasetReaders } from '@ratchet/contracts/internal-eval'
import { trainingDataReaders } from '@ratchet/contracts/internal-training'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * Asks the services whether a job of theirs still has to read data of the log.
 *
 * @throws ServiceError `service_unavailable` when one does not answer: nothing is deleted on a guess
 */
export interface DataUse {
  /** Whether an eval has to read the dataset with this public id. */
  readonly byEvals: (identity: Identity, datasetId: string) => Promise<boolean>
  /** Whether a fine-tuning job has to read the dataset or file with this public id. */
  readonly byTraining: (identity: Identity, sourceId: string) => Promise<boolean>
}

interface Readers {
  readonly eval: Pick<FleetClient, 'call'>
  readonly training: Pick<FleetClient, 'call'>
}

export function createDataUse({ eval: evals, training }: Readers): DataUse {
  return {
    async byEvals(identity, datasetId) {
      const query = { dataset_id: datasetId }
      return (await evals.call(datasetReaders, { query }, identity).catch(refuse)).evals > 0
    },
    async byTraining(identity, sourceId) {
      const query = { source_id: sourceId }
      return (await training.call(trainingDataReaders, { query }, identity).catch(refuse)).jobs > 0
    },
  }
}

function refuse(cause: unknown): never {
  if (!(cause instanceof FleetCallError)) throw cause
  const message = 'Could not check whether a job still reads this. Retry.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
