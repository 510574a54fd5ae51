import { ServiceError } from '@ratchet/service-kit/service-error'
import type { RequestHandler } from 'express'
import type { AbuseGuardStore, AbuseLimit } from '../domain/abuse-guard-store.ts'
import type { EdgeEvents } from '../events.ts'
import { clearedPassageOf } from '../passage.ts'

export interface GuardAbuseOptions {
  readonly store: AbuseGuardStore
  readonly limit: AbuseLimit
  readonly events: EdgeEvents
}

/** Counts calls of endpoints that create something paid for, per workspace, and refuses those past the limit. */
export function guardAbuse({ store, limit, events }: GuardAbuseOptions): RequestHandler {
  return async (request, _response, next) => {
    const { identity, destination } = clearedPassageOf(request)
    if (!destination.rule.guard) return next()
    const admission = await admit(store, identity.workspaceId, limit)
    if (admission.kind === 'admitted') return next()
    events.guardRefused()
    throw new ServiceError(
      'abuse_guard',
      `This workspace made ${limit.calls} such calls within ${limit.windowSeconds} seconds.`,
      { retryAfterSeconds: Math.max(1, Math.ceil(admission.retryAfterSeconds)) },
    )
  }
}

function admit(store: AbuseGuardStore, workspaceId: string, limit: AbuseLimit) {
  return store.admit(workspaceId, limit).catch((cause) => {
    throw new ServiceError('service_unavailable', 'The abuse guard cannot be asked at the moment.', {
      retryAfterSeconds: 1,
      cause,
    })
  })
}
