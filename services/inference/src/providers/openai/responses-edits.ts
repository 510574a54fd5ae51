import type { Body } from '../../wire/dialect.ts'
import type { JsonEdits } from '../../wire/json/edit-json.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { statelessInput } from './stateless-input.ts'

const encryptedReasoning = 'reasoning.encrypted_content'

/**
 * What makes a Responses body stateless for the provider. Chains and storing are ours, so the provider keeps nothing,
 * and what it needs of its hidden reasoning travels with the items, encrypted.
 */
export function responsesEdits({ model, body }: Pick<ProviderRequest, 'model' | 'body'>): JsonEdits {
  const input = statelessInput({ model, body })
  return {
    previous_response_id: undefined,
    store: 'false',
    ...(input === null ? {} : { input: JSON.stringify(input.items) }),
    // Only reasoning models know what this includes. Clients need it to send their items back, stored here or not.
    ...(model.capabilities.includes('reasoning') ? { include: includeOf(body) } : {}),
  }
}

function includeOf({ include }: Body): string {
  const given = Array.isArray(include) ? include : []
  return JSON.stringify(given.includes(encryptedReasoning) ? given : [...given, encryptedReasoning])
}
