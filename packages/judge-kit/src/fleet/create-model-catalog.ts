import { getModel } from '@ratchet/contracts/models'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ModelCatalog } from './model-catalog.ts'

/** Reads the catalog from inference. */
export function createModelCatalog(inference: FleetClient): ModelCatalog {
  return {
    async find(identity, name) {
      // A lone surrogate cannot be part of a URL, so no model has such a name.
      if (!name.isWellFormed()) return null
      try {
        const model = await inference.call(getModel, { params: { id: [name] } }, identity)
        return {
          id: model.id,
          isChat: model.capabilities.includes('chat'),
          capabilities: model.capabilities,
          inputPerMtok: model.pricing.input_per_mtok,
          outputPerMtok: model.pricing.output_per_mtok,
          maxOutputTokens: model.max_output_tokens,
        }
      } catch (error) {
        if (error instanceof FleetCallError && error.status === 404) return null
        throw asRefusal(error)
      }
    },
  }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof FleetCallError)) return error
  const cause = error
  if (error.code === 'unknown_provider') {
    return new ServiceError('unknown_provider', error.message, { param: 'judge_model', cause })
  }
  if (!error.mayPass) return error
  const message = 'The model catalog is unavailable. Retry.'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}
