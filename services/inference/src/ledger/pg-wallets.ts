import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createExactWallets } from './exact-wallets.ts'
import { LedgerUnavailable } from './ledger.ts'
import { createPgRecalls } from './pg-escrow-store.ts'
import { runStatement } from './pg-run-statement.ts'
import { whileAlive } from './pg-while-alive.ts'

export interface PgWalletsOptions {
  /** Not the pool of the ledger, so that no charge waits behind a read. */
  readonly pool: Pool
  /** Milliseconds without any answer after which the database counts as unavailable. */
  readonly silenceMs?: number
}

const timeoutMs = 2_000
const statement = {
  name: 'wallet_read',
  text: 'SELECT balance, held FROM wallet WHERE workspace_id = $1::uuid',
  timeoutMs,
}

type WalletRow = Pick<Row<'wallet'>, 'balance' | 'held'>

/** Reads wallets for services that spend money. */
export type Wallets = ReturnType<typeof createPgWallets>

export function createPgWallets({ pool, silenceMs = 250 }: PgWalletsOptions) {
  const exact = createExactWallets({ store: createPgRecalls({ pool }) })

  async function readExactly(workspaceId: string): Promise<WalletRow | undefined> {
    if (!(await exact.settle(workspaceId)))
      throw new LedgerUnavailable('some process did not give back its blocks', { uncertain: false })
    const [row] = await runStatement<WalletRow>(pool, { ...statement, values: [workspaceId] })
    return row
  }

  return {
    /**
     * Nano-dollars. A workspace that was never credited has an empty wallet. Blocks are recalled before, so only running
     * requests hold: what is free decides whether somebody may spend.
     */
    async read(workspaceId: string) {
      const reading = readExactly(workspaceId)
      const row = await whileAlive(pool, reading, { silenceMs, maxMs: timeoutMs }).catch(unavailable)
      return { balanceNano: BigInt(row?.balance ?? 0), heldNano: BigInt(row?.held ?? 0) }
    },
  }
}

function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'The ledger does not answer.', { retryAfterSeconds: 1, cause })
}
