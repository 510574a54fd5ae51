import type { OwnAuditAction } from '@ratchet/contracts/dashboard/audit'

/** Something that a person does in a workspace. */
export interface Act {
  /** Of its row in the audit. */
  readonly id: string
  readonly workspaceId: string
  readonly userId: string
  readonly requestId: string
  readonly at: Date
}

/** Something that a person does to a user: somebody else, or themselves. */
export interface UserAct {
  /** The user who is changed. */
  readonly userId: string
  readonly actorId: string
  readonly requestId: string
  readonly at: Date
  readonly newId: () => string
}

/** What was done. `before` and `after` have what was changed, and never a secret. */
export interface Change {
  readonly action: OwnAuditAction
  readonly subject: string
  readonly before?: object | null
  readonly after?: object | null
}
