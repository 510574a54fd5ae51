import type { Identity } from '@ratchet/contracts/identity'
import { getModel } from '@ratchet/contracts/models'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import type { ModelTraits } from '../prompt/structured-request.ts'

export interface ModelTraitsDeps {
  readonly inference: Pick<FleetClient, 'call'>
  readonly now: () => Date
}

/** @throws FleetCallError when the catalog cannot be read now */
export type ReadModelTraits = (identity: Identity, model: string) => Promise<ModelTraits>

const keptMs = 300_000
const maxKept = 500

/** Of a model that the catalog does not tell of: it is asked plainly, and whoever is asked says what is wrong. */
const unknown: ModelTraits = { provider: null, capabilities: [], unsupportedParameters: [] }

/** Reads from inference what models can do, and remembers it for some minutes. */
export function createModelTraits({ inference, now }: ModelTraitsDeps): ReadModelTraits {
  const known = new Map<string, { readonly traits: ModelTraits; readonly untilMs: number }>()
  return async (identity, model) => {
    const nowMs = now().getTime()
    const kept = known.get(model)
    if (kept !== undefined && kept.untilMs > nowMs) return kept.traits
    const traits = await readTraits(inference, identity, model)
    if (traits === null) return unknown
    known.delete(model)
    if (known.size >= maxKept) known.delete(known.keys().next().value ?? '')
    known.set(model, { traits, untilMs: nowMs + keptMs })
    return traits
  }
}

async function readTraits(
  inference: Pick<FleetClient, 'call'>,
  identity: Identity,
  model: string,
): Promise<ModelTraits | null> {
  // Half a character is no part of a name, nor of a URL.
  if (!model.isWellFormed()) return null
  try {
    const { owned_by: provider, ...found } = await inference.call(getModel, { params: { id: [model] } }, identity)
    return { provider, capabilities: found.capabilities, unsupportedParameters: found.unsupported_parameters }
  } catch (error) {
    if (error instanceof FleetCallError && !error.mayPass) return null
    throw error
  }
}
