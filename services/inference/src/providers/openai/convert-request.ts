import { editMember, editTopLevel, type JsonEdits } from '../../wire/json/edit-json.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { rerankEdits } from '../../wire/rerank/rerank-edits.ts'
import { messageEdits } from './message-edits.ts'
import { responsesEdits } from './responses-edits.ts'

/**
 * The request's own bytes with the provider's name for the model, without what only the gateway reads or another
 * provider has said, and for a chat stream with usage asked for. Nothing else is touched, so parameters we have never heard of reach the provider as
 * they came.
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
