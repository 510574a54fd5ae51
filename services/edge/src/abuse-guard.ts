import { ServiceError } from '@ratchet/service-kit/service-error'
import type { AbuseGuardStore, AbuseLimit } from './domain/abuse-guard-store.ts'
import type { EdgeEvents } from './events.ts'

export interface AbuseGuard {
  readonly store: AbuseGuardStore
  readonly limit: AbuseLimit
}

/**
 * Counts a call that creates something paid for.
 *
 * @throws ServiceError `abuse_guard` past the workspace's limit, `service_unavailable` when nobody can tell.
 */
export async function countGuardedCall(
  { store, limit }: AbuseGuard,
  workspaceId: string,
  events: EdgeEvents,
): Promise<void> {
  const admission = await store.admit(workspaceId, limit).catch((cause) => {
    throw new ServiceError('service_unavailable', 'The abuse guard cannot be asked at the moment.', {
      retryAfterSeconds: 1,
      cause,
    })
  })
  if (admission.kind === 'admitted') return
  events.guardRefused()
  throw new ServiceError(
    'abuse_guard',
    `This workspace made ${limit.calls} such calls within ${limit.windowSeconds} seconds.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(admission.retryAfterSeconds)) },
  )
}
