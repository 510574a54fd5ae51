import type { Identity } from '@ratchet/contracts/identity'
import { checkVersionEvals, getVersionFacts, type VersionFacts } from '@ratchet/contracts/internal-versions'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** What an eval can prove of a model version. */
export interface VersionEvalCheck {
  readonly trainedPrompts: number
  readonly isIndependent: boolean
}

/** What the training service knows of model versions. Each throws ServiceError `service_unavailable` while it cannot be read. */
export interface VersionChecks {
  /** Null for a model that is no version of the workspace. */
  factsOf(identity: Identity, model: string): Promise<VersionFacts | null>
  /** By id of the eval; one that was deleted is missing. */
  check(
    identity: Identity,
    order: { readonly model: string; readonly evalIds: readonly string[] },
  ): Promise<ReadonlyMap<string, VersionEvalCheck>>
}

export function createVersionChecks(training: Pick<FleetClient, 'call'>): VersionChecks {
  return {
    async factsOf(identity, model) {
      return (await training.call(getVersionFacts, { query: { model } }, identity).catch(rethrow)).version
    },
    async check(identity, { model, evalIds }) {
      const query = { model, eval_ids: evalIds.join(',') }
      const { data } = await training.call(checkVersionEvals, { query }, identity).catch(rethrow)
      return new Map(
        data.map(({ eval_id: id, trained_prompts: trainedPrompts, independent }) => {
          return [id, { trainedPrompts, isIndependent: independent }]
        }),
      )
    },
  }
}

function rethrow(cause: unknown): never {
  if (!(cause instanceof FleetCallError) || !cause.mayPass) throw cause
  const message = 'Model versions cannot be read at the moment.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
