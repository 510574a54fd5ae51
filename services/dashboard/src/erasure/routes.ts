import {
  cancelPersonErasure,
  confirmPersonErasure,
  downloadErasureReceipt,
  listPersonErasures,
  maxListedErasures,
  readPersonErasure,
  requestPersonErasure,
} from '@ratchet/contracts/dashboard/erasures'
import { done, listReply } from '@ratchet/contracts/dashboard/values'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { endUserId } from '@ratchet/service-kit/values/end-user-id'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import { erasureReply } from './erasure-reply.ts'
import type { ErasureStore } from './pg-erasures.ts'

export interface ErasureDeps extends PeopleDeps {
  readonly erasures: ErasureStore
  /** Random UUIDs: nobody may compute them from a name. */
  readonly newPseudonym: () => string
}

/** Erasure of all that belongs to an end user: first the numbers, then, when somebody confirms them, the work. */
export function erasureRoutes(router: Router, deps: ErasureDeps): void {
  const { erasures, newId, newPseudonym } = deps
  const read = async (workspaceId: string, id: string) => {
    const found = await erasures.find(workspaceId, id)
    if (found === null) throw notFound('erasure')
    return erasureReply(found)
  }
  mountForMember(router, deps, listPersonErasures, async ({ membership: { workspaceId } }) =>
    listReply((await erasures.list(workspaceId, maxListedErasures)).map(erasureReply)),
  )
  mountForMember(router, deps, readPersonErasure, async ({ params: { id }, membership: { workspaceId } }) =>
    read(workspaceId, id),
  )
  mountForMember(router, deps, downloadErasureReceipt, async ({ params: { id }, membership, response }) => {
    const { receipt } = await read(membership.workspaceId, id)
    if (receipt === null) throw notFound('receipt')
    response.set('cache-control', 'no-store').attachment(`erasure-${id}.json`).type('json').send(receipt)
    return {}
  })
  mountForMember(router, deps, requestPersonErasure, async ({ body: { person }, act }) => {
    const { workspaceId } = act
    const erasure = { id: newId(), person, personId: endUserId(workspaceId, person), pseudonym: newPseudonym() }
    if (!(await erasures.begin(act, erasure))) {
      throw new ServiceError('conflict', 'An erasure of this end user has begun and is not over.')
    }
    return read(workspaceId, erasure.id)
  })
  mountForMember(router, deps, confirmPersonErasure, async ({ params: { id }, body: { person }, act }) => {
    const before = await read(act.workspaceId, id)
    if (before.person !== null && before.person !== person) {
      throw new ServiceError('conflict', 'This is not the name of the end user.', { param: 'person' })
    }
    if (!(await erasures.confirm(act, id, person))) {
      throw new ServiceError('conflict', 'Only an erasure whose numbers are known can be confirmed, and only once.')
    }
    return read(act.workspaceId, id)
  })
  mountForMember(router, deps, cancelPersonErasure, async ({ params: { id }, act }) => {
    await read(act.workspaceId, id)
    if (await erasures.cancel(act, id)) return done
    throw new ServiceError('conflict', 'The erasure was confirmed, or is over.')
  })
}
