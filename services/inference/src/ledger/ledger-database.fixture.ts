import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { mainLedger } from '@ratchet/db/ledger-urls'
import { topUp } from '@ratchet/db/top-up'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { BudgetName, CapWindow, MemoryCap } from './memory-ledger.ts'

/** A test database with the roles of inference and of its operator. */
export interface LedgerDatabase {
  readonly url: string
  /** For the ledger: role `ratchet_inference`. */
  readonly pool: Pool
  readonly operator: Pool
  /** Creates a workspace with this much credit. */
  newWallet(balanceNano: bigint): Promise<string>
  /** The row of the wallet. */
  wallet(workspaceId: string): Promise<{ balanceNano: bigint; heldNano: bigint }>
  /** The wallet with the charges of blocks that are not booked. */
  walletNow(workspaceId: string): Promise<{ balanceNano: bigint; heldNano: bigint }>
  /** Sums of what the ledger entered as usage of a wallet, by hour. */
  charged(workspaceId: string): Promise<readonly UsageSum[]>
  /** The same from the usage by hour. */
  usage(workspaceId: string): Promise<readonly UsageSum[]>
  /** The holds and costs of a cap's window. */
  cap(workspaceId: string, window: CapWindow): Promise<MemoryCap>
  /** The holds and costs of a budget's window. */
  budget(workspaceId: string, window: BudgetName): Promise<MemoryCap>
  drop(): Promise<void>
}

interface UsageSum {
  readonly hour: Date
  readonly cost: string
}

const charged = `
SELECT date_trunc('hour', at, 'UTC') AS hour, sum(amount)::text AS cost FROM ledger_entry
WHERE wallet_id = $1 AND account = 'usage' GROUP BY 1 HAVING sum(amount) <> 0 ORDER BY 1`
const used = `
SELECT hour, sum(cost)::text AS cost FROM usage_hour
WHERE wallet_id = $1 GROUP BY 1 HAVING sum(cost) <> 0 ORDER BY 1`

export async function ledgerDatabase({ connections = 8 } = {}): Promise<LedgerDatabase> {
  return openLedgerDatabase(await freshDatabase(), { connections })
}

/** A migrated database as that of a ledger. */
export function openLedgerDatabase(
  database: FreshDatabase,
  { connections = 8, name = mainLedger } = {},
): LedgerDatabase {
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: connections })
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  return {
    url: database.url,
    pool,
    operator,
    async newWallet(amountNano) {
      const workspaceId = randomUUID()
      await addWorkspace(operator, workspaceId, name)
      await topUp(operator, { workspaceId, amountNano, reference: workspaceId })
      return workspaceId
    },
    wallet: (workspaceId) => readWallet(operator, 'wallet', workspaceId),
    walletNow: (workspaceId) => readWallet(operator, 'wallet_now', workspaceId),
    charged: async (workspaceId) => (await operator.query<UsageSum>(charged, [workspaceId])).rows,
    usage: async (workspaceId) => (await operator.query<UsageSum>(used, [workspaceId])).rows,
    async cap(workspaceId, { id, windowStart }) {
      const { rows } = await operator.query(
        'SELECT cap, spent, held FROM spend_cap WHERE wallet_id = $1 AND cap_id = $2 AND window_start = $3',
        [workspaceId, id, windowStart],
      )
      return memoryCap(rows[0])
    },
    async budget(workspaceId, { id, subject, windowStart }) {
      const { rows } = await operator.query(
        `SELECT amount AS cap, spent, held FROM budget_window
         WHERE wallet_id = $1 AND budget_id = $2 AND subject = $3 AND window_start = $4`,
        [workspaceId, id, subject, windowStart],
      )
      return memoryCap(rows[0])
    },
    async drop() {
      await Promise.all([pool.end(), operator.end()])
      await database.drop()
    },
  }
}

function memoryCap({ cap = 0, spent = 0, held = 0 }: Partial<Record<'cap' | 'spent' | 'held', string | number>> = {}) {
  return { capNano: BigInt(cap), spentNano: BigInt(spent), heldNano: BigInt(held) }
}

export async function addWorkspace(operator: Pool, workspaceId: string, ledger: string): Promise<void> {
  const text = 'INSERT INTO workspace VALUES ($1::uuid, $1::text, $1::text, now(), $2)'
  await operator.query(text, [workspaceId, ledger])
}

async function readWallet(operator: Pool, table: 'wallet' | 'wallet_now', workspaceId: string) {
  const { rows } = await operator.query(`SELECT balance, held FROM ${table} WHERE workspace_id = $1`, [workspaceId])
  return { balanceNano: BigInt(rows[0].balance), heldNano: BigInt(rows[0].held) }
}
