import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { checkOwn, type OwnWorkspaces } from './check-refusals.ts'
import { LedgerUnavailable } from './ledger.ts'
import type { WorkspaceLedgers } from './workspace-ledgers.ts'

/** Reads wallets for services that spend money. */
export interface Wallets {
  /** Nano-dollars. @throws ServiceError `service_unavailable` */
  read(workspaceId: string): Promise<{ readonly balanceNano: bigint; readonly heldNano: bigint }>
}

export interface WalletsOfLedger extends OwnWorkspaces {
  readonly wallets: Wallets
}

/** Reads each wallet from the ledger of its workspace. A workspace without a wallet there must be one of that ledger. */
export function createShardedWallets(ledgers: readonly WalletsOfLedger[], workspaces: WorkspaceLedgers): Wallets {
  return {
    async read(workspaceId) {
      try {
        const name = await workspaces.of(workspaceId)
        const ledger = ledgers.find((each) => each.name === name)
        if (ledger === undefined) {
          throw new LedgerUnavailable(`this process has no database of the ledger ${name}`, { uncertain: false })
        }
        await checkOwn(ledger, workspaceId)
        return await ledger.wallets.read(workspaceId)
      } catch (cause) {
        if (!(cause instanceof LedgerUnavailable)) throw cause
        throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
      }
    },
  }
}
