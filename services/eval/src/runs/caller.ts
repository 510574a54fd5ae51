import { fleetIdentity, type Identity, type Purpose } from '@ratchet/contracts/identity'
import type { EvalRun } from './eval-run.ts'

/** The identity under which an eval calls models: the workspace pays, up to the spend cap of the eval. */
export function callerOf(
  run: Pick<EvalRun, 'id' | 'workspaceId' | 'createdBy' | 'createdAt' | 'maxCostNano'>,
  purpose: Purpose,
): Identity {
  const { id, workspaceId, createdBy, createdAt, maxCostNano } = run
  const identity: Identity = { ...fleetIdentity, workspaceId, userId: createdBy, role: 'admin', purpose }
  if (maxCostNano === null) return identity
  return { ...identity, spendCap: { id, capNano: String(maxCostNano), windowStart: createdAt.toISOString() } }
}
