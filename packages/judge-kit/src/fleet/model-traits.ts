import type { Identity } from '@ratchet/contracts/identity'
import { getModel } from '@ratchet/contracts/models'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { ModelTraits } from '../prompt/structured-request.ts'

export interface ModelTraitsDeps {
  readonly inference: Pick<FleetClient, 'call'>
  readonly now: () => Date
}

/** @throws FleetCallError when the catalog cannot be read now */
export type ReadModelTraits = (identity: Identity, model: string) => Promise<ModelTraits>

const maxAgeMs = 300_000
const maxCached = 500

/** For a model that the catalog refuses. The call is made anyway, and its refusal names the reason. */
const unknown: ModelTraits = { provider: null, capabilities: [], unsupportedParameters: [] }

/** Reads traits of models from inference, and caches them for some minutes. */
export function createModelTraits({ inference, now }: ModelTraitsDeps): ReadModelTraits {
  const cache = new Map<string, { readonly traits: ModelTraits; readonly untilMs: number }>()
  return async (identity, model) => {
    const nowMs = now().getTime()
    const cached = cache.get(model)
    if (cached !== undefined && cached.untilMs > nowMs) return cached.traits
    const traits = await readTraits(inference, identity, model)
    if (traits === null) return unknown
    cache.delete(model)
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value ?? '')
    cache.set(model, { traits, untilMs: nowMs + maxAgeMs })
    return traits
  }
}

async function readTraits(
  inference: Pick<FleetClient, 'call'>,
  identity: Identity,
  model: string,
): Promise<ModelTraits | null> {
  // A lone surrogate cannot be part of a URL, so no model has such a name.
  if (!model.isWellFormed()) return null
  try {
    const { owned_by: provider, ...found } = await inference.call(getModel, { params: { id: [model] } }, identity)
    return { provider, capabilities: found.capabilities, unsupportedParameters: found.unsupported_parameters }
  } catch (error) {
    if (error instanceof FleetCallError && !error.mayPass) return null
    throw error
  }
}
