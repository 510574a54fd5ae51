import { changeMember, leaveWorkspace, listMembers, removeMember } from '@ratchet/contracts/dashboard/members'
import { done, listReply } from '@ratchet/contracts/dashboard/values'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import { noOwner } from './no-owner.ts'
import type { MemberOutcome, MemberStore } from './pg-members.ts'

export interface MemberDeps extends PeopleDeps {
  readonly members: MemberStore
}

export function memberRoutes(router: Router, deps: MemberDeps): void {
  const { members } = deps
  mountForMember(router, deps, listMembers, async ({ membership: { workspaceId } }) =>
    listReply(await members.list(workspaceId)),
  )
  mountForMember(
    router,
    deps,
    changeMember,
    async ({ params: { user_id }, body, membership: { workspaceId }, act }) => {
      const changes = {
        ...(body.role === undefined ? {} : { role: body.role }),
        ...(body.may_grade === undefined ? {} : { mayGrade: body.may_grade }),
      }
      requireDone(await members.change(act, user_id, changes))
      const changed = (await members.list(workspaceId)).find((each) => each.user_id === user_id)
      if (changed === undefined) throw notFound('member', 'user_id')
      return changed
    },
  )
  mountForMember(router, deps, removeMember, async ({ params: { user_id }, act }) => {
    requireDone(await members.remove(act, user_id, 'member.removed'))
    return done
  })
  mountForMember(router, deps, leaveWorkspace, async ({ person: { userId }, act }) => {
    requireDone(await members.remove(act, userId, 'member.left'))
    return done
  })
}

function requireDone(outcome: MemberOutcome): void {
  if (outcome === 'not_owner') throw noOwner()
  if (outcome === 'missing') throw notFound('member', 'user_id')
  if (outcome === 'last_owner') {
    throw new ServiceError('conflict', 'A workspace needs an owner. Make somebody else an owner first.')
  }
}
