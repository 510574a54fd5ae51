import type { Identity } from '@ratchet/contracts/identity'
import { modelsNamed } from '@ratchet/contracts/internal-catalog'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'

/** Ids of models that go by a name in the catalog, whoever has a key for them. */
export type FindModelsNamed = (identity: Identity, name: string) => Promise<readonly string[]>

/** @throws ServiceError `service_unavailable` when the catalog cannot be read now */
export function createFindModelsNamed(inference: Pick<FleetClient, 'call'>): FindModelsNamed {
  return async (identity, name) => {
    try {
      return (await inference.call(modelsNamed, { params: { name } }, identity)).models
    } catch (cause) {
      if (!(cause instanceof FleetCallError)) throw cause
      const message = 'The catalog of models cannot be read at the moment.'
      throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
    }
  }
}
