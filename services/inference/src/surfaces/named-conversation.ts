import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import type { Charged } from './surface.ts'

/** The member of an answer that names the session of its request; empty when the client named none. */
export function conversationMember({ conversationId = null }: Pick<Charged, 'conversationId'>): JsonEdits {
  return conversationId === null ? {} : { conversation_id: JSON.stringify(conversationId) }
}
