import { z } from 'zod'

export const Role = z.enum(['owner', 'admin', 'member'])
export type Role = z.infer<typeof Role>

/** Who a request acts for, as the edge established it. Services trust nothing else about a caller. */
export const Identity = z.object({
  workspaceId: z.uuid(),
  userId: z.uuid(),
  role: Role,
  keyId: z.uuid(),
})
export type Identity = z.infer<typeof Identity>

/** The signed header that carries an identity from the edge to one service. */
export const identityHeader = 'x-internal-identity'

/** The request's id, minted by the edge; answers carry it back under the same name. */
export const requestIdHeader = 'x-request-id'

const nobody = '00000000-0000-0000-0000-000000000000'

/** Whom a process of the fleet acts for when it calls a service by itself: no workspace, no user. */
export const fleetIdentity: Identity = { workspaceId: nobody, userId: nobody, role: 'member', keyId: nobody }
