import type { ChangeLimits, WorkspaceLimits } from '@ratchet/contracts/dashboard/admin-limits'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import { givenOf } from '@ratchet/db/given'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { differenceOf } from '../settings/difference.ts'
import { limitsOf } from './limits-of.ts'

export type LimitStore = ReturnType<typeof createPgLimits>

export function createPgLimits(db: DashboardDb) {
  return {
    /** Changes the given limits, and returns all. */
    change: (act: Act, changes: ChangeLimits) => db.$transaction((tx) => change(tx, act, changes)),
  }
}

type Tables = Pick<DashboardTransaction, 'workspaceSettings' | 'auditEvent'>

async function change(tx: Tables, act: Act, changes: ChangeLimits): Promise<WorkspaceLimits> {
  const { workspaceId } = act
  const where = { workspaceId }
  const before = limitsOf(await tx.workspaceSettings.findUnique({ where }))
  const data = givenOf({
    requestsPerMinute: changes.requests_per_minute,
    tokensPerMinute: changes.tokens_per_minute,
    guardedCallsPerMinute: changes.guarded_calls_per_minute,
  })
  const after = limitsOf(await tx.workspaceSettings.upsert({ where, create: { workspaceId, ...data }, update: data }))
  const difference = differenceOf(before, after)
  if (difference !== null)
    await recordChange(tx, act, { action: 'settings.changed', subject: workspaceId, ...difference })
  return after
}
