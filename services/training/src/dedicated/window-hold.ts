import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { JobHold } from '../money/job-money.ts'
import type { DrivenEndpoint } from './endpoint.ts'

interface Window {
  readonly replicaId: string
  readonly number: number
}

/** The id of a window in the ledger: it follows from the replica and the number, so that a window is charged once. */
export function windowId({ replicaId, number }: Window): string {
  return deterministicId('replica window', replicaId, String(number))
}

/** The hold of a window. To the ledger it is a job with one hold. */
export function windowHold(
  { workspaceId, createdBy, routingKey }: Pick<DrivenEndpoint, 'workspaceId' | 'createdBy' | 'routingKey'>,
  window: Window,
): JobHold {
  const jobId = windowId(window)
  return { workspaceId, jobId, holdNumber: 1, createdBy, model: `dedicated/${routingKey}`, kind: 'dedicated' }
}
