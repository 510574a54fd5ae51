import { changeWorkspaceLimits, listAllProviders } from '@ratchet/contracts/dashboard/admin-limits'
import { listReply } from '@ratchet/contracts/dashboard/values'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { listInstalledProviders } from '@ratchet/contracts/internal-providers'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { mountForPerson, type PeopleDeps } from '../people/person-routes.ts'
import { requirePerson } from '../people/require-access.ts'
import type { AdminStore } from './pg-admin.ts'
import type { LimitStore } from './pg-limits.ts'

export interface LimitDeps extends PeopleDeps {
  readonly inference: Pick<FleetClient, 'call'>
  readonly admin: Pick<AdminStore, 'workspaceId'>
  readonly limits: LimitStore
}

/** For operators: what a workspace may use, and the providers that all use. */
export function limitRoutes(router: Router, deps: LimitDeps): void {
  const { inference, admin, limits, newId } = deps
  mountForPerson(router, deps, changeWorkspaceLimits, async ({ params: { slug }, body, request, visitor, now: at }) => {
    const workspaceId = await admin.workspaceId(slug)
    if (workspaceId === null) throw notFound('workspace', 'slug')
    const { userId } = requirePerson(visitor)
    const act = { id: newId(), workspaceId, userId, requestId: request.id, at }
    return { object: 'limits' as const, slug, ...(await limits.change(act, body)) }
  })
  mountForPerson(router, deps, listAllProviders, async () => {
    const { data } = await inference.call(listInstalledProviders, {}, fleetIdentity).catch(unanswered)
    return listReply(data)
  })
}

function unanswered(cause: unknown): never {
  if (!(cause instanceof FleetCallError)) throw cause
  throw new ServiceError('service_unavailable', 'The gateway does not answer. Retry.', { retryAfterSeconds: 1, cause })
}
