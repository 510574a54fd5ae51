import type { OwnWorkspaces } from './check-refusals.ts'
import { withLedgerOf } from './find-ledger.ts'
import type { WorkspaceLedgers } from './workspace-ledgers.ts'

/** Reads wallets for services that spend money. */
export interface Wallets {
  /** Nano-dollars. @throws ServiceError `service_unavailable` */
  read(workspaceId: string): Promise<{ readonly balanceNano: bigint; readonly heldNano: bigint }>
}

export interface WalletsOfLedger extends OwnWorkspaces {
  readonly wallets: Wallets
}

/** Reads each wallet from the ledger of its workspace. */
export function createShardedWallets(ledgers: readonly WalletsOfLedger[], workspaces: WorkspaceLedgers): Wallets {
  return {
    read: (workspaceId) =>
      withLedgerOf({ ledgers, workspaces }, workspaceId, ({ wallets }) => wallets.read(workspaceId)),
  }
}
