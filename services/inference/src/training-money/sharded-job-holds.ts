import type { OwnWorkspaces } from '../ledger/check-refusals.ts'
import { withLedgerOf } from '../ledger/find-ledger.ts'
import type { WorkspaceLedgers } from '../ledger/workspace-ledgers.ts'
import type { JobHolds } from './job-holds.ts'

export interface JobHoldsOfLedger extends OwnWorkspaces {
  readonly jobHolds: JobHolds
}

/**
 * The holds of jobs in all ledgers, each in that of its workspace.
 *
 * @throws ServiceError `service_unavailable` when that ledger cannot be reached
 */
export function createShardedJobHolds(ledgers: readonly JobHoldsOfLedger[], workspaces: WorkspaceLedgers): JobHolds {
  const within = <T>(workspaceId: string, work: (holds: JobHolds) => Promise<T>) =>
    withLedgerOf({ ledgers, workspaces }, workspaceId, ({ jobHolds }) => work(jobHolds))
  return {
    hold: (hold) => within(hold.workspaceId, (holds) => holds.hold(hold)),
    checkpoint: (cost) => within(cost.workspaceId, (holds) => holds.checkpoint(cost)),
    settle: (cost) => within(cost.workspaceId, (holds) => holds.settle(cost)),
    release: (hold) => within(hold.workspaceId, (holds) => holds.release(hold)),
    confirm: (workspaceId, holdIds) => within(workspaceId, (holds) => holds.confirm(workspaceId, holdIds)),
  }
}
