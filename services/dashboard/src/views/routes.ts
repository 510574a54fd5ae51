import { listReply } from '@ratchet/contracts/dashboard/values'
import { listViews, writeViews } from '@ratchet/contracts/dashboard/views'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { ViewStore } from './pg-views.ts'

export interface ViewDeps extends PeopleDeps {
  readonly views: ViewStore
}

export function viewRoutes(router: Router, deps: ViewDeps): void {
  const { views } = deps
  mountForMember(router, deps, listViews, async ({ person: { userId }, membership: { workspaceId } }) =>
    listReply(JSON.parse(await views.read({ workspaceId, userId }))),
  )
  mountForMember(
    router,
    deps,
    writeViews,
    async ({ body: { data }, person: { userId }, membership: { workspaceId } }) => {
      await views.write({ workspaceId, userId }, JSON.stringify(data))
      return listReply(data)
    },
  )
}
