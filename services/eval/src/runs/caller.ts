import type { Identity, Purpose } from '@ratchet/contracts/identity'
import { payingIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { EvalRun } from './eval-run.ts'

/** The identity under which an eval calls models: the workspace pays, up to the spend cap of the eval. */
export function callerOf(
  run: Pick<EvalRun, 'id' | 'workspaceId' | 'createdBy' | 'createdAt' | 'maxCostNano'>,
  purpose: Purpose,
): Identity {
  const { id, workspaceId, createdBy: userId, createdAt: windowStart, maxCostNano: capNano } = run
  const spendCap = capNano === null ? null : { id, capNano, windowStart }
  return payingIdentity({ workspaceId, userId, purpose, spendCap })
}
