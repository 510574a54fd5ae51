import { correctWallet } from '@ratchet/db/correct-wallet'
import type { LedgerDatabase } from '@ratchet/db/credit-workspace'
import { ReferenceTaken } from '@ratchet/db/top-up'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Wallets } from '../ledger/sharded-wallets.ts'
import type { Corrected, Correction } from './sharded-accounts.ts'

interface CorrectDeps {
  /** The database in which references are claimed. */
  readonly main: LedgerDatabase['pool']
  readonly ledger: LedgerDatabase
  /** Reads a wallet after its blocks were recalled. */
  readonly wallets: Wallets
}

/** Corrects wallets of a ledger. */
export function createPgCorrect({ main, ledger, wallets }: CorrectDeps) {
  /**
   * @throws ServiceError `conflict` when the reference was used for something else, `insufficient_balance` when more would
   *   be taken than is free without any block
   */
  return async (correction: Correction): Promise<Corrected> => {
    const correct = () => correctWallet(main, ledger, correction).catch(refuseTaken)
    const first = await correct()
    if (first.outcome !== 'uncovered') return correctedOf(first)
    await wallets.read(correction.workspaceId)
    const second = await correct()
    if (second.outcome !== 'uncovered') return correctedOf(second)
    const details = { available_nano: String(second.freeNano) }
    throw new ServiceError('insufficient_balance', 'The wallet has less that is free.', {
      param: 'amount_nano',
      details,
    })
  }
}

function correctedOf({
  outcome,
  balanceNano,
}: {
  readonly outcome: 'corrected' | 'repeated'
  readonly balanceNano: bigint
}) {
  return { corrected: outcome === 'corrected', balanceNano }
}

function refuseTaken(cause: unknown): never {
  if (!(cause instanceof ReferenceTaken)) throw cause
  throw new ServiceError('conflict', 'The reference was used for something else.', { param: 'reference', cause })
}
