import { listEvents } from '@ratchet/contracts/dashboard/events'
import { listReply } from '@ratchet/contracts/dashboard/values'
import { publicId } from '@ratchet/contracts/public-id'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { EventList } from './pg-events.ts'

export interface EventDeps extends PeopleDeps {
  readonly events: EventList
}

export function eventRoutes(router: Router, deps: EventDeps): void {
  mountForMember(router, deps, listEvents, async ({ membership: { workspaceId }, now }) => {
    const rows = await deps.events.list(workspaceId, now)
    return listReply(
      rows.map(({ at, judgeId, ...event }) => ({
        ...event,
        at: at.toISOString(),
        judge_id: judgeId === null ? null : publicId('criterion', judgeId),
      })),
    )
  })
}
