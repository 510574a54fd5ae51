import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { sees } from '../scope.ts'
import type { StoredCall } from './call.ts'
import type { CallStore } from './call-store.ts'

/** @throws ServiceError `not_found`, also for a call of another workspace */
export async function requireCall(
  calls: Pick<CallStore, 'get'>,
  identity: Identity,
  publicCallId: string,
): Promise<StoredCall> {
  const id = uuidOf('call', publicCallId)
  const call = id === null ? null : await calls.get({ workspaceId: identity.workspaceId, id })
  if (call === null || !sees(identity, call)) throw notFound('call')
  return call
}
