import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { StoredCall } from './call.ts'
import type { CallStore } from './call-store.ts'

/** The user whose calls a key sees; null: those of the workspace. */
export function scopeOf({ voice, userId }: Identity): string | null {
  return voice?.scope === 'user' ? userId : null
}

/** @throws ServiceError `not_found`, also for a call of another workspace */
export async function requireCall(
  calls: Pick<CallStore, 'get'>,
  identity: Identity,
  publicCallId: string,
): Promise<StoredCall> {
  const id = uuidOf('call', publicCallId)
  const call = id === null ? null : await calls.get({ workspaceId: identity.workspaceId, id })
  const user = scopeOf(identity)
  if (call === null || (user !== null && call.userId !== user)) throw notFound('call')
  return call
}
