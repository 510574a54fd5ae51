import { fleetIdentity, type Identity, type Purpose } from '@ratchet/contracts/identity'
import type { EvalRun } from './eval-run.ts'

/** Whom an eval asks models for: its workspace, by right of whoever created it, up to what it may cost. */
export function callerOf(
  {
    id,
    workspaceId,
    createdBy,
    createdAt,
    maxCostNano,
  }: Pick<EvalRun, 'id' | 'workspaceId' | 'createdBy' | 'createdAt' | 'maxCostNano'>,
  purpose: Purpose,
): Identity {
  const identity: Identity = { ...fleetIdentity, workspaceId, userId: createdBy, role: 'admin', purpose }
  if (maxCostNano === null) return identity
  return { ...identity, spendCap: { id, capNano: String(maxCostNano), windowStart: createdAt.toISOString() } }
}
