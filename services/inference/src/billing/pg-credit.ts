import { creditKnownWorkspace, type LedgerDatabase } from '@ratchet/db/credit-workspace'
import { ReferenceTaken } from '@ratchet/db/top-up'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Credit, Credited } from './sharded-accounts.ts'

/**
 * Credits wallets of a ledger.
 *
 * @param main the database in which references are claimed
 */
export function createPgCredit(main: LedgerDatabase['pool'], ledger: LedgerDatabase) {
  /** @throws ServiceError `conflict` when the reference was used for another credit */
  return async (credit: Credit): Promise<Credited> => {
    try {
      return await creditKnownWorkspace(main, ledger, credit)
    } catch (cause) {
      if (!(cause instanceof ReferenceTaken)) throw cause
      throw new ServiceError('conflict', 'The reference was used for another credit.', { param: 'reference', cause })
    }
  }
}
