import type { Pool } from './connect-pool.ts'
import type { Row } from './row.ts'

/** Balance of a workspace, and how much of it is held. Nano-dollars. Every charge that was made is in it. */
export interface WalletView {
  readonly balanceNano: bigint
  /** By running requests, and by blocks. */
  readonly heldNano: bigint
  /** What inference processes hold in blocks, for running requests without a row and for those to come. */
  readonly inBlocksNano: bigint
  /** Number of running requests with a row of their own. */
  readonly openCount: number
  /** The oldest ones, at most 20. */
  readonly openHolds: readonly OpenHold[]
}

export interface OpenHold {
  readonly billingId: string
  readonly holdNano: bigint
  readonly model: string
  readonly openedAt: Date
}

interface HoldRow
  extends Pick<Row<'wallet'>, 'balance' | 'held'>,
    Pick<Row<'billingRequest'>, 'hold' | 'model' | 'opened_at'> {
  readonly in_blocks: string
  readonly open_count: string
  /** Null in the row of a wallet without a running request. */
  readonly request_id: string | null
}

/** One statement, so that balance and holds are of the same moment. */
const view = `
SELECT w.balance, w.held, w.in_blocks, count(*) FILTER (WHERE b.request_id IS NOT NULL) OVER () AS open_count,
  b.request_id, b.hold, b.model, b.opened_at
FROM wallet_now w LEFT JOIN billing_request b ON b.wallet_id = w.workspace_id AND b.state = 'open'
WHERE w.workspace_id = $1::uuid
ORDER BY b.opened_at, b.request_id LIMIT 20`

/** Reads a workspace's wallet; one that was never credited is empty. */
export async function readWallet(pool: Pick<Pool, 'query'>, workspaceId: string): Promise<WalletView> {
  const { rows } = await pool.query<HoldRow>(view, [workspaceId])
  const [first] = rows
  if (first === undefined) return { balanceNano: 0n, heldNano: 0n, inBlocksNano: 0n, openCount: 0, openHolds: [] }
  return {
    balanceNano: BigInt(first.balance),
    heldNano: BigInt(first.held),
    inBlocksNano: BigInt(first.in_blocks),
    openCount: Number(first.open_count),
    openHolds: rows.flatMap((row) => (row.request_id === null ? [] : [openHold(row, row.request_id)])),
  }
}

function openHold({ hold, model, opened_at }: HoldRow, billingId: string): OpenHold {
  return { billingId, holdNano: BigInt(hold), model, openedAt: opened_at }
}
