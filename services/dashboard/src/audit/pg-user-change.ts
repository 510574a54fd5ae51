import type { DashboardTransaction } from '@ratchet/db/dashboard-client'
import type { Change, UserAct } from './act.ts'
import { recordChange } from './pg-audit.ts'

/** Writes a change of a user to the audit of each workspace of the user, where owners read about it. */
export async function recordUserChange(
  tx: Pick<DashboardTransaction, 'membership' | 'auditEvent'>,
  { userId, actorId, requestId, at, newId }: UserAct,
  change: Omit<Change, 'subject'>,
): Promise<void> {
  const memberships = await tx.membership.findMany({
    where: { userId },
    select: { workspaceId: true },
    orderBy: { workspaceId: 'asc' },
  })
  for (const { workspaceId } of memberships) {
    const act = { id: newId(), workspaceId, userId: actorId, requestId, at }
    await recordChange(tx, act, { ...change, subject: userId })
  }
}
