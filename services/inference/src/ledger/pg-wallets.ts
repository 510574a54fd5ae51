import type { Pool } from '@ratchet/db/connect-pool'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { LedgerUnavailable } from './ledger.ts'
import { runStatement } from './pg-run-statement.ts'
import { whileAlive } from './pg-while-alive.ts'
import type { WalletReads } from './wallet-reads.ts'

export interface PgWalletsOptions {
  /** Not the ledger's: no charge should wait behind a question. */
  readonly pool: Pool
  /** Milliseconds without any answer of the database after which it counts as away. */
  readonly silenceMs?: number
}

const timeoutMs = 2_000
const statement = {
  name: 'wallet_read',
  text: 'SELECT balance, held FROM wallet WHERE workspace_id = $1::uuid',
  timeoutMs,
}

interface Row {
  readonly balance: string
  readonly held: string
}

/** Wallets in Postgres. */
export function createPgWallets({ pool, silenceMs = 250 }: PgWalletsOptions): WalletReads {
  return {
    async read(workspaceId) {
      const reading = runStatement<Row>(pool, { ...statement, values: [workspaceId] })
      const [row] = await whileAlive(pool, reading, { silenceMs, maxMs: timeoutMs }).catch(unavailable)
      return { balanceNano: BigInt(row?.balance ?? 0), heldNano: BigInt(row?.held ?? 0) }
    },
  }
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
