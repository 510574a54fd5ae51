import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { checkOwn, type OwnWorkspaces } from './check-refusals.ts'
import { LedgerUnavailable } from './ledger.ts'
import type { WorkspaceLedgers } from './workspace-ledgers.ts'

/**
 * Does `work` with the ledger of a workspace. A workspace without a wallet there must be one of that ledger.
 *
 * @throws ServiceError `service_unavailable` when that ledger, or its name, cannot be read
 */
export async function withLedgerOf<Part extends OwnWorkspaces, T>(
  { ledgers, workspaces }: { readonly ledgers: readonly Part[]; readonly workspaces: WorkspaceLedgers },
  workspaceId: string,
  work: (ledger: Part) => Promise<T>,
): Promise<T> {
  try {
    const name = await workspaces.of(workspaceId)
    const ledger = ledgers.find((each) => each.name === name)
    if (ledger === undefined) {
      throw new LedgerUnavailable(`this process has no database of the ledger ${name}`, { uncertain: false })
    }
    await checkOwn(ledger, workspaceId)
    return await work(ledger)
  } catch (cause) {
    if (!(cause instanceof LedgerUnavailable)) throw cause
    throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
  }
}
