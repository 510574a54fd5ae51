import type { Permission } from '@ratchet/contracts/endpoint'
import type { Role } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/service-error'

const allowed: Readonly<Record<Permission, { readonly roles: readonly Role[]; readonly inWords: string }>> = {
  any: { roles: ['owner', 'admin', 'member'], inWords: 'a member' },
  owner_admin: { roles: ['owner', 'admin'], inWords: 'an owner or admin' },
  owner: { roles: ['owner'], inWords: 'an owner' },
}

/** @throws ServiceError `insufficient_permissions`, naming what is needed, when the role is not enough. */
export function authorize(permission: Permission, role: Role): void {
  const { roles, inWords } = allowed[permission]
  if (roles.includes(role)) return
  throw new ServiceError(
    'insufficient_permissions',
    `This needs a key minted by ${inWords} of the workspace; this key's user is ${role}.`,
  )
}
