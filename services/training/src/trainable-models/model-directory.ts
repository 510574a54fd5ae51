import type { Identity } from '@ratchet/contracts/identity'
import { trainableModels } from '@ratchet/contracts/internal-catalog'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type BaseModel, baseModelsOf } from './trainable-model.ts'

/** The models that can be trained here. */
export interface ModelDirectory {
  /** In the order of their ids. @throws ServiceError `service_unavailable` when the catalog cannot be read */
  list(identity: Identity): Promise<readonly BaseModel[]>
}

/** Those of inference's catalog. @param trainers names of the trainers of this installation */
export function createModelDirectory(
  inference: Pick<FleetClient, 'call'>,
  trainers: ReadonlySet<string>,
): ModelDirectory {
  return {
    async list(identity) {
      try {
        return baseModelsOf((await inference.call(trainableModels, {}, identity)).models, trainers)
      } catch (error) {
        if (!(error instanceof FleetCallError) || !error.mayPass) throw error
        const message = 'The model catalog is unavailable. Retry.'
        throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: error })
      }
    },
  }
}
