import type { Body } from '../../wire/dialect.ts'
import { editMember, editTopLevel, type JsonEdits } from '../../wire/json/edit-json.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { rerankEdits } from '../../wire/rerank/rerank-edits.ts'
import { messageEdits } from './message-edits.ts'
import { statelessInput } from './stateless-input.ts'

const encryptedReasoning = 'reasoning.encrypted_content'

/**
 * The bytes of the request with the provider's name of the model, without the fields that only the gateway reads or
 * that another provider added, and with usage enabled for a chat stream. Nothing else changes, so parameters that the
 * gateway does not know reach the provider as they are.
 */
export function convertRequest({ dialect, model, bytes, scan, body, stream }: ProviderRequest): Buffer {
  const edits: Record<string, JsonEdits[string]> = {
    ...(dialect === 'rerank' ? rerankEdits(body) : {}),
    ...(dialect === 'responses' ? responsesEdits({ model, body }) : {}),
    model: JSON.stringify(model.upstreamModel),
    models: undefined,
  }
  if (dialect === 'chat' && model.strictMessages) Object.assign(edits, messageEdits(body.messages))
  if (stream && dialect === 'chat') {
    edits.stream_options = editMember(bytes, scan, 'stream_options', { include_usage: 'true' })
  }
  return editTopLevel(bytes, scan, edits)
}

/**
 * The edits that make a Responses body stateless for the provider. The gateway stores responses and chains, so the
 * provider stores nothing; its hidden reasoning is passed along in the items, encrypted.
 */
function responsesEdits({ model, body }: Pick<ProviderRequest, 'model' | 'body'>): JsonEdits {
  const input = statelessInput({ model, body })
  return {
    previous_response_id: undefined,
    store: 'false',
    ...(input === null ? {} : { input: JSON.stringify(input.items) }),
    // Only reasoning models support this. Clients need it to send their items back, whether they are stored here or
    // not.
    ...(model.capabilities.includes('reasoning') ? { include: includeOf(body) } : {}),
  }
}

function includeOf({ include }: Body): string {
  const given = Array.isArray(include) ? include : []
  return JSON.stringify(given.includes(encryptedReasoning) ? given : [...given, encryptedReasoning])
}
