import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { EdgeEvents } from '../events.ts'
import type { AbuseGuardStore, AbuseLimit } from './abuse-guard-store.ts'

export interface AbuseGuard {
  readonly store: AbuseGuardStore
  readonly limit: AbuseLimit
}

/**
 * Counts a call that creates something paid for.
 *
 * @throws ServiceError `abuse_guard` past the workspace's limit, `service_unavailable` when the store fails.
 */
export async function countGuardedCall(
  { store, limit }: AbuseGuard,
  workspaceId: string,
  events: EdgeEvents,
): Promise<void> {
  const admission = await store.admit(workspaceId, limit).catch((cause) => {
    throw new ServiceError('service_unavailable', 'The abuse guard is unavailable. Retry.', {
      retryAfterSeconds: 1,
      cause,
    })
  })
  if (admission.kind === 'admitted') return
  events.guardRefused()
  throw new ServiceError(
    'abuse_guard',
    `This workspace made ${admission.calls} such calls within ${limit.windowSeconds} seconds.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(admission.retryAfterSeconds)) },
  )
}
