import { listAllCredits, readLedgers, readWork, retryWork } from '@ratchet/contracts/dashboard/admin-ledgers'
import { listReply } from '@ratchet/contracts/dashboard/values'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { listCredits, readLedgerAudits } from '@ratchet/contracts/internal-ledgers'
import { pageReply } from '@ratchet/contracts/page'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { mountForPerson, type PeopleDeps } from '../people/person-routes.ts'
import { requirePerson } from '../people/require-access.ts'
import type { AdminStore } from './pg-admin.ts'
import type { WorkStore } from './pg-work.ts'

export interface LedgerDeps extends PeopleDeps {
  readonly inference: Pick<FleetClient, 'call'>
  readonly admin: Pick<AdminStore, 'workspaceId' | 'slugs'>
  readonly work: WorkStore
}

/** For operators: money and work of all workspaces, without anything that is in them. */
export function ledgerRoutes(router: Router, deps: LedgerDeps): void {
  const { inference, admin, work, newId } = deps
  mountForPerson(router, deps, listAllCredits, async ({ query }) => {
    const { data, total } = await inference.call(listCredits, { query }, fleetIdentity).catch(unanswered)
    const slugs = await admin.slugs(data.map(({ workspace_id: id }) => id))
    const credits = data.map(({ workspace_id: id, ...credit }) => ({ ...credit, slug: slugs.get(id) ?? id }))
    return pageReply(credits, total, query)
  })
  mountForPerson(router, deps, readLedgers, async () => {
    const { data } = await inference.call(readLedgerAudits, {}, fleetIdentity).catch(unanswered)
    return listReply(data)
  })
  mountForPerson(router, deps, readWork, async ({ query }) => {
    const { queues, total, found } = await work.read(query)
    const data = found.map(({ workspaceId: _, canRetry, ...letter }) => ({ ...letter, can_retry: canRetry }))
    return {
      ...pageReply(data, total, query),
      queues: queues.map(({ oldestDueSeconds, poisoned, ...queue }) => ({
        ...queue,
        oldest_due_seconds: oldestDueSeconds,
        dead_lettered: poisoned,
      })),
    }
  })
  mountForPerson(router, deps, retryWork, async ({ body: { slug, error }, request, visitor, now: at }) => {
    const workspaceId = await admin.workspaceId(slug)
    if (workspaceId === null) throw notFound('workspace', 'slug')
    const { userId } = requirePerson(visitor)
    const retried = await work.retry({ id: newId(), workspaceId, userId, requestId: request.id, at }, error)
    return { object: 'retry' as const, retried }
  })
}

/** What inference cannot answer is our failure. */
function unanswered(cause: unknown): never {
  if (!(cause instanceof FleetCallError)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer. Retry.', { retryAfterSeconds: 1, cause })
}
