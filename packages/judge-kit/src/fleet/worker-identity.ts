import { fleetIdentity, type Identity, type Purpose } from '@ratchet/contracts/identity'

/** The identity with which a worker acts for the user who requested the work. */
export function workerIdentity(workspaceId: string, userId: string): Identity {
  return { ...fleetIdentity, workspaceId, userId, role: 'admin' }
}

/** The identity with which a worker acts for a workspace when no user requested the work. The user id is all zeros. */
export function workspaceIdentity(workspaceId: string): Identity {
  return { ...fleetIdentity, workspaceId, role: 'admin' }
}

/** Maximum cost of calls together since a time. */
export interface CallCap {
  /** UUID of what is limited, such as a run. */
  readonly id: string
  readonly capNano: bigint
  readonly windowStart: Date
}

export interface Payer {
  readonly workspaceId: string
  /** User who requested the work. */
  readonly userId: string
  readonly purpose: Purpose
  /** Null when only the wallet limits the cost. */
  readonly spendCap: CallCap | null
}

/** The identity with which a worker calls models: the workspace pays, up to the spend cap. */
export function payingIdentity({ workspaceId, userId, purpose, spendCap }: Payer): Identity {
  const identity: Identity = { ...workerIdentity(workspaceId, userId), purpose }
  if (spendCap === null) return identity
  const { id, capNano, windowStart } = spendCap
  return { ...identity, spendCap: { id, capNano: String(capNano), windowStart: windowStart.toISOString() } }
}
