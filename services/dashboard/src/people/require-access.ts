import type { DashboardEndpoint } from '@ratchet/contracts/dashboard/dashboard-endpoint'
import type { Permission } from '@ratchet/contracts/endpoint'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { isFresh, type Membership, mayGrade, type Person } from './person.ts'

export interface Caller {
  readonly person: Person | null
  /** Of the workspace in the path; null for one that does not exist, or of which the person is no member. */
  readonly membership: Membership | null
  readonly now: Date
}

type Rule = Pick<DashboardEndpoint, 'path' | 'permission' | 'needsFreshSignIn'>

/**
 * Checks who may call an endpoint of the dashboard.
 *
 * @throws ServiceError 401 without a session, 404 outside the workspace, 403 without the right or after a sign-in that is too old
 */
export function requireAccess({ path, permission, needsFreshSignIn }: Rule, { person, membership, now }: Caller): void {
  if (permission === 'anyone') return
  const { operator } = requirePerson(person)
  if (path.startsWith('/api/w/:slug/') && membership === null) throw unknownWorkspace()
  if (permission === 'operator' && !operator) throw notPermitted('Only operators may do this.')
  if (isOfWorkspace(permission)) requirePermission(permission, membership)
  if (needsFreshSignIn && !isFresh(requirePerson(person), now)) {
    throw new ServiceError('fresh_sign_in_required', 'Sign in again: this needs a sign-in of the last 15 minutes.')
  }
}

/** @throws ServiceError 401 */
export function requirePerson(person: Person | null): Person {
  if (person === null) throw new ServiceError('not_signed_in', 'Sign in first.')
  return person
}

/** The same for a workspace that does not exist, for one of others, and for one that an operator disabled. */
export function unknownWorkspace(): ServiceError {
  return new ServiceError('not_found', 'No workspace of yours has this address, or an operator disabled it.', {
    param: 'slug',
  })
}

function notPermitted(message: string): ServiceError {
  return new ServiceError('insufficient_permissions', message)
}

function isOfWorkspace(permission: Rule['permission']): permission is Permission {
  return permission !== 'anyone' && permission !== 'user' && permission !== 'operator'
}

const needed: Readonly<Record<Permission, string>> = {
  any: 'members',
  grader: 'members who may grade, owners and admins',
  owner_admin: 'owners and admins',
  owner: 'owners',
}

function requirePermission(permission: Permission, membership: Membership | null): void {
  if (membership === null) throw unknownWorkspace()
  const allowed: Readonly<Record<Permission, boolean>> = {
    any: true,
    grader: mayGrade(membership),
    owner_admin: membership.role !== 'member',
    owner: membership.role === 'owner',
  }
  if (!allowed[permission]) throw notPermitted(`Only ${needed[permission]} of the workspace may do this.`)
}
