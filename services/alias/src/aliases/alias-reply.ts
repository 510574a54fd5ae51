import type { Alias, AliasEvent } from '@ratchet/contracts/aliases'
import { publicId } from '@ratchet/contracts/public-id'
import type { AliasEventRow, StoredAlias } from './alias.ts'

export function aliasReply({ settings, gate, version, createdAt, updatedAt, updatedBy }: StoredAlias): Alias {
  return {
    object: 'alias',
    ...settings,
    gate_state: gate.state,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    updated_by: updatedBy,
    version,
  }
}

export function eventReply(event: AliasEventRow): AliasEvent {
  const { actor } = event
  const isUser = actor.type === 'user'
  return {
    object: 'alias.event',
    id: publicId('aliasEvent', event.id),
    alias: event.aliasName,
    kind: event.kind,
    actor: { type: actor.type, user_id: isUser ? actor.userId : null, key_id: isUser ? actor.keyId : null },
    before: event.before,
    after: event.after,
    evidence: event.evidence === null ? null : { ...event.evidence },
    reason: event.reason,
    request_id: isUser ? actor.requestId : null,
    created_at: event.createdAt.toISOString(),
  }
}
