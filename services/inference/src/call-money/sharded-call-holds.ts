import type { OwnWorkspaces } from '../ledger/check-refusals.ts'
import { withLedgerOf } from '../ledger/find-ledger.ts'
import type { WorkspaceLedgers } from '../ledger/workspace-ledgers.ts'
import type { CallCheckpoints, CallHolds } from './call-holds.ts'

export interface CallHoldsOfLedger extends OwnWorkspaces {
  readonly callHolds: CallHolds
}

/**
 * The holds of calls in all ledgers, each in that of its workspace.
 *
 * @throws ServiceError `service_unavailable` when that ledger cannot be reached
 */
export function createShardedCallHolds(ledgers: readonly CallHoldsOfLedger[], workspaces: WorkspaceLedgers): CallHolds {
  const within = <T>(workspaceId: string, work: (holds: CallHolds) => Promise<T>) =>
    withLedgerOf({ ledgers, workspaces }, workspaceId, ({ callHolds }) => work(callHolds))

  /** One that is unavailable keeps no other from its checkpoints. */
  async function checkpointEach({ items, ...owner }: CallCheckpoints): Promise<void> {
    const byWorkspace = Map.groupBy(items, ({ workspaceId }) => workspaceId)
    const reports = [...byWorkspace].map(([workspaceId, own]) =>
      within(workspaceId, (holds) => holds.checkpoint({ ...owner, items: own })),
    )
    const failed = (await Promise.allSettled(reports)).find((report) => report.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  return {
    hold: (hold) => within(hold.workspaceId, (holds) => holds.hold(hold)),
    checkpoint: checkpointEach,
    settle: (hold) => within(hold.workspaceId, (holds) => holds.settle(hold)),
    release: (hold) => within(hold.workspaceId, (holds) => holds.release(hold)),
    charges: (workspaceId, ids) => within(workspaceId, (holds) => holds.charges(workspaceId, ids)),
  }
}
