import { z } from 'zod'

export const Role = z.enum(['owner', 'admin', 'member'])
export type Role = z.infer<typeof Role>

/** What a process of the fleet calls a model for, on behalf of a workspace. */
export const Purpose = z.enum(['judge', 'eval', 'assist', 'shadow'])
export type Purpose = z.infer<typeof Purpose>

/** What a series of calls may cost from one moment until the next window begins. */
export const SpendCap = z.object({
  /** Unique within the workspace, such as the criterion's. */
  id: z.uuid(),
  /** Nano-dollars, below 9·10^18; 0 caps nothing. */
  capNano: z.string().regex(/^(0|[1-9]\d{0,17}|[1-8]\d{18})$/),
  /** Names the window; what is counted in one is never counted in another. */
  windowStart: z.iso.datetime(),
})
export type SpendCap = z.infer<typeof SpendCap>

/**
 * Who a request acts for, as the edge established it. Services trust nothing else about a caller.
 *
 * `purpose` and `spendCap` are set by processes of the fleet that call inference by themselves, never by the edge.
 */
export const Identity = z.object({
  workspaceId: z.uuid(),
  userId: z.uuid(),
  role: Role,
  keyId: z.uuid(),
  purpose: Purpose.exactOptional(),
  spendCap: SpendCap.exactOptional(),
})
export type Identity = z.infer<typeof Identity>

/** The signed header that carries an identity from the edge to one service. */
export const identityHeader = 'x-internal-identity'

/** The request's id, minted by the edge; answers carry it back under the same name. */
export const requestIdHeader = 'x-request-id'

/** On a plain answer to a call with a purpose: what the workspace pays for it, nano-dollars; the same on a replay. */
export const costNanoHeader = 'x-internal-cost-nano'

/**
 * On a plain answer to a call with a purpose: milliseconds from the request until a model's answer to it was whole, all
 * that was tried before included; the same on a replay, unless its record is older than this header.
 */
export const latencyMsHeader = 'x-internal-latency-ms'

/** On every answer to a call with a purpose: the provider whose model answered, as the catalog names it. */
export const providerHeader = 'x-internal-provider'

const zeroId = '00000000-0000-0000-0000-000000000000'

/** Whom a process of the fleet acts for when it calls a service by itself: no workspace, no user. */
export const fleetIdentity: Identity = { workspaceId: zeroId, userId: zeroId, role: 'member', keyId: zeroId }
