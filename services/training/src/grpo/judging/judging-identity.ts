import type { Identity } from '@ratchet/contracts/identity'
import { payingIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { NewRun } from '../runs/run.ts'

type Payer = Pick<NewRun, 'id' | 'workspaceId' | 'createdBy' | 'createdAt' | 'judgingCapNano'>

/** The identity with which the judges of a run are asked: its workspace pays, up to the part of the maximum that is for judges. */
export function judgingIdentity({ id, workspaceId, createdBy, createdAt, judgingCapNano }: Payer): Identity {
  const spendCap = { id, capNano: judgingCapNano, windowStart: createdAt }
  return payingIdentity({ workspaceId, userId: createdBy, purpose: 'grpo', spendCap })
}
