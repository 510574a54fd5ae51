import type { JsonEdits } from '../../domain/edit-json.ts'
import type { Body, ProviderRequest } from '../provider.ts'

const encryptedReasoning = 'reasoning.encrypted_content'

/**
 * What makes a Responses body stateless for the provider. Chains and storing are ours, so the provider keeps nothing,
 * and what it needs of its hidden reasoning travels with the items, encrypted.
 */
export function responsesEdits({ model, body }: Pick<ProviderRequest, 'model' | 'body'>): JsonEdits {
  const edits = { previous_response_id: undefined, store: 'false' }
  // Only reasoning models know what this includes, and what nobody goes on from does not need it.
  if (!model.capabilities.includes('reasoning') || body.store === false) return edits
  return { ...edits, include: includeOf(body) }
}

function includeOf({ include }: Body): string {
  const given = Array.isArray(include) ? include : []
  return JSON.stringify(given.includes(encryptedReasoning) ? given : [...given, encryptedReasoning])
}
