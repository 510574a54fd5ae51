import { z } from 'zod'

export const Role = z.enum(['owner', 'admin', 'member'])
export type Role = z.infer<typeof Role>

/** The purpose for which a process of the fleet calls a model for a workspace. */
export const Purpose = z.enum(['judge', 'eval', 'assist', 'shadow', 'grpo', 'raft', 'distill'])
export type Purpose = z.infer<typeof Purpose>

/** The maximum cost of a series of calls from the start of a window to the start of the next. */
export const SpendCap = z.object({
  /** Unique within the workspace, such as the id of a criterion. */
  id: z.uuid(),
  /** Nano-dollars, below 9·10^18; 0 for unlimited. */
  capNano: z.string().regex(/^(0|[1-9]\d{0,17}|[1-8]\d{18})$/),
  /** Identifies the window. Each window is counted separately. */
  windowStart: z.iso.datetime(),
})
export type SpendCap = z.infer<typeof SpendCap>

/** What a key of the voice interface may do. */
export const VoiceKey = z.object({
  /** `test`: its calls reach nobody. */
  env: z.enum(['live', 'test']),
  /** `user`: it sees what its user created. */
  scope: z.enum(['workspace', 'user']),
})
export type VoiceKey = z.infer<typeof VoiceKey>

/** What is held for the requests of a batch. */
export const BatchHold = z.object({
  id: z.uuid(),
  /** Nano-dollars: the maximum cost of the requests that have not begun. */
  keepNano: z.string().regex(/^(0|[1-9]\d{0,17}|[1-8]\d{18})$/),
})
export type BatchHold = z.infer<typeof BatchHold>

/** How a person is signed in to the dashboard. */
export const Session = z.object({
  id: z.uuid(),
  /** Whether the user may grade, by role or by a right of their own. */
  mayGrade: z.boolean(),
  /** Whether the user signed in a short time ago, as changes of money and rights require. */
  isFresh: z.boolean(),
})
export type Session = z.infer<typeof Session>

/**
 * The workspace, user and key that a request is made for, as the edge determined them. Services use no other
 * information about a caller.
 *
 * A request comes with a key or from a session of the dashboard, and then has no key. `purpose` and `spendCap` are set by processes of the fleet that call inference themselves, never by the edge. So is `channel`: the request is traffic of the workspace's clients, made for one of its calls by the voice service, with no key, or for one of its batches by the eval service, with the key that created the batch.
 */
export const Identity = z.object({
  workspaceId: z.uuid(),
  userId: z.uuid(),
  role: Role,
  keyId: z.uuid().nullable(),
  session: Session.exactOptional(),
  purpose: Purpose.exactOptional(),
  spendCap: SpendCap.exactOptional(),
  channel: z.enum(['voice', 'batch']).exactOptional(),
  /** Of a request of a batch: the hold of the batch, and what it keeps once this request is held for. */
  batchHold: BatchHold.exactOptional(),
  /** Of a request to the voice interface. */
  voice: VoiceKey.exactOptional(),
})
export type Identity = z.infer<typeof Identity>

/** The identity of a request with a key. */
export type KeyIdentity = Identity & { readonly keyId: string }

/** The signed header in which the edge sends an identity to one service. */
export const identityHeader = 'x-internal-identity'

/** The id of the request, created by the edge. Answers have the same header. */
export const requestIdHeader = 'x-request-id'

/** The model that a client named in the path, as clients of Azure do. Only the edge sets it. */
export const modelHeader = 'x-internal-model'

/** On an unstreamed answer to an internal call: the charge in nano-dollars; the same on a replay. */
export const costNanoHeader = 'x-internal-cost-nano'

/**
 * On an unstreamed answer to an internal call: milliseconds from the request until the answer was complete, including
 * failed attempts; the same on a replay, unless its record is older than this header.
 */
export const latencyMsHeader = 'x-internal-latency-ms'

/** On every answer to an internal call: the provider whose model answered, by its catalog id. */
export const providerHeader = 'x-internal-provider'

const zeroId = '00000000-0000-0000-0000-000000000000'

/** The identity of a process of the fleet that calls a service for itself: no workspace, no user. */
export const fleetIdentity: Identity = { workspaceId: zeroId, userId: zeroId, role: 'member', keyId: zeroId }
