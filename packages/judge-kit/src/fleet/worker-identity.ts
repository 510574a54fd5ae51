import { fleetIdentity, type Identity } from '@ratchet/contracts/identity'

/** Whom a worker acts for: the workspace, by right of whoever asked for the work. */
export function workerIdentity(workspaceId: string, userId: string): Identity {
  return { ...fleetIdentity, workspaceId, userId, role: 'admin' }
}
