import { editMember, editTopLevel, type JsonEdits } from '../../domain/edit-json.ts'
import type { ProviderChatRequest } from '../provider.ts'

/**
 * The request's own bytes with the provider's name for the model and, for a stream, usage asked for.
 * Nothing else is touched, so parameters we have never heard of reach the provider as they came.
 */
export function convertRequest({ model, bytes, scan, facts }: ProviderChatRequest): Buffer {
  const edits: Record<string, JsonEdits[string]> = { model: JSON.stringify(model.upstreamModel) }
  if (facts.stream) edits.stream_options = editMember(bytes, scan, 'stream_options', { include_usage: 'true' })
  return editTopLevel(bytes, scan, edits)
}
