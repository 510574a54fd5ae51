import type { Pool } from '@ratchet/db/connect-pool'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createExactWallets } from './exact-wallets.ts'
import { LedgerUnavailable } from './ledger.ts'
import { createPgRecalls } from './pg-escrow-store.ts'
import { whileAlive } from './pg-while-alive.ts'
import type { Wallets } from './sharded-wallets.ts'

export interface PgWalletsOptions {
  /** Not the pool of the ledger, so that no charge waits behind a read. */
  readonly pool: Pool
  /** Milliseconds without any answer after which the database counts as unavailable. */
  readonly silenceMs?: number
}

const timeoutMs = 2_000

/** Reads the wallets of one ledger. */
export function createPgWallets({ pool, silenceMs = 250 }: PgWalletsOptions): Wallets {
  const exact = createExactWallets({ store: createPgRecalls({ pool }) })

  return {
    /**
     * Nano-dollars. A workspace that was never credited has an empty wallet. Blocks are recalled before, so only running
     * requests hold: what is free decides whether somebody may spend.
     */
    async read(workspaceId) {
      const wallet = await whileAlive(pool, exact.settle(workspaceId), { silenceMs, maxMs: timeoutMs }).catch(
        unavailable,
      )
      return { balanceNano: wallet.balanceNano, heldNano: wallet.heldNano }
    },
  }
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
