import type { Permission } from '@ratchet/contracts/endpoint'
import type { Role } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { RequestHandler } from 'express'
import { clearedPassageOf } from '../passage.ts'

const allowedRoles: Readonly<Record<Permission, { readonly roles: readonly Role[]; readonly inWords: string }>> = {
  any: { roles: ['owner', 'admin', 'member'], inWords: 'a member' },
  owner_admin: { roles: ['owner', 'admin'], inWords: 'an owner or admin' },
  owner: { roles: ['owner'], inWords: 'an owner' },
}

/** Lets a request pass when the role that its key's user has now is enough for the endpoint. */
export const authorize: RequestHandler = (request, _response, next) => {
  const { identity, destination } = clearedPassageOf(request)
  const { roles, inWords } = allowedRoles[destination.rule.permission]
  if (!roles.includes(identity.role)) {
    throw new ServiceError(
      'insufficient_permissions',
      `This needs a key minted by ${inWords} of the workspace; this key's user is ${identity.role}.`,
    )
  }
  next()
}
