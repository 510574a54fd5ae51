import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'

export interface LedgerState {
  /** Nano-dollars. */
  readonly balance: bigint
  /** For requests that have a row of their own. */
  readonly held: bigint
  /** What blocks still have for requests, running ones and later ones. */
  readonly inBlocks: bigint
  readonly open: number
  readonly posted: number
  /** Σ cost of posted requests, nano-dollars. */
  readonly charged: bigint
  /** Descriptions of broken invariants; empty when the ledger is correct. */
  readonly violations: readonly string[]
}

/** Waits until no request of the workspace runs, and reads its ledger. */
export function ledgerAtRest(
  { databaseUrl }: { readonly databaseUrl: string },
  { workspaceId }: { readonly workspaceId: string },
): Promise<LedgerState> {
  return eventually(
    async () => {
      const now = await readLedger(databaseUrl, workspaceId)
      return now.open === 0 && now.held === 0n && now.inBlocks === 0n ? now : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
}

/** Reads a workspace's ledger and checks it with its own queries, independent of the product's audit. */
export async function readLedger(databaseUrl: string, workspaceId: string): Promise<LedgerState> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // All reads see the same moment.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const wallet = await one(client, 'SELECT balance, held FROM wallet WHERE workspace_id = $1', [workspaceId])
    const blocks = await one(
      client,
      `SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(charged), 0) AS charged,
              count(*) FILTER (WHERE charged > amount) AS overdrawn
         FROM (SELECT b.amount, (SELECT sum(c.cost) FROM charge c WHERE c.block_id = b.block_id) AS charged
                 FROM escrow_block b WHERE b.wallet_id = $1 AND b.state <> 'booked') b`,
      [workspaceId],
    )
    const requests = await one(
      client,
      `SELECT count(*) FILTER (WHERE state = 'open') AS open, count(*) FILTER (WHERE state = 'posted') AS posted,
              coalesce(sum(hold) FILTER (WHERE state = 'open'), 0) AS open_holds,
              coalesce(sum(cost) FILTER (WHERE state <> 'open'), 0) AS charged,
              count(*) FILTER (WHERE cost > hold OR cost < 0) AS wrong
         FROM ledger_request WHERE wallet_id = $1`,
      [workspaceId],
    )
    const entries = await one(
      client,
      `SELECT coalesce(sum(amount), 0) AS all_accounts, coalesce(sum(amount) FILTER (WHERE account = 'wallet'), 0) AS wallet
         FROM ledger_entry WHERE wallet_id = $1`,
      [workspaceId],
    )
    const { rows: caps } = await client.query<Row>(
      `SELECT c.cap_id, c.cap, c.spent, c.held, coalesce(sum(b.cost), 0) AS costs,
              coalesce(sum(b.hold) FILTER (WHERE b.state = 'open'), 0) AS open_holds
         FROM spend_cap c LEFT JOIN billing_request b
           ON b.wallet_id = c.wallet_id AND b.cap_id = c.cap_id AND b.cap_window = c.window_start
        WHERE c.wallet_id = $1 GROUP BY c.wallet_id, c.cap_id, c.window_start`,
      [workspaceId],
    )
    return {
      balance: big(wallet.balance) - big(blocks.charged),
      held: big(wallet.held) - big(blocks.amount),
      inBlocks: big(blocks.amount) - big(blocks.charged),
      open: Number(requests.open),
      posted: Number(requests.posted),
      charged: big(requests.charged),
      violations: [
        ...unless(
          big(wallet.held) === big(requests.open_holds) + big(blocks.amount),
          `held ${wallet.held} ≠ open ${requests.open_holds} + blocks ${blocks.amount}`,
        ),
        ...unless(Number(blocks.overdrawn) === 0, `${blocks.overdrawn} blocks with more charges than they have`),
        ...unless(big(entries.wallet) === big(wallet.balance), `ledger ${entries.wallet} ≠ balance ${wallet.balance}`),
        ...unless(big(entries.all_accounts) === 0n, `Σ ledger = ${entries.all_accounts}`),
        ...unless(big(wallet.balance) >= big(wallet.held), 'held exceeds balance'),
        ...unless(Number(requests.wrong) === 0, `${requests.wrong} costs outside 0..hold`),
        ...caps.flatMap(capViolations),
      ],
    }
  } finally {
    await client.end()
  }
}

/** The hold of the only request of a workspace whose wallet is too poor for a block, nano-dollars. */
export async function onlyHold(databaseUrl: string, workspaceId: string): Promise<bigint> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { hold } = await one(client, 'SELECT hold FROM billing_request WHERE wallet_id = $1', [workspaceId])
  await client.end()
  return big(hold)
}

function capViolations({ cap_id, cap, spent, held, costs, open_holds }: Row): string[] {
  const comesTo = big(spent) + big(held)
  return [
    ...unless(big(spent) === big(costs), `cap ${cap_id} spent ${spent} ≠ costs ${costs}`),
    ...unless(big(held) === big(open_holds), `cap ${cap_id} held ${held} ≠ open ${open_holds}`),
    ...unless(big(cap) === 0n || comesTo <= big(cap), `cap ${cap_id} of ${cap} came to ${comesTo}`),
  ]
}

type Row = Record<string, string>

async function one(client: pg.Client, text: string, values: readonly unknown[]): Promise<Row> {
  const { rows } = await client.query<Row>(text, [...values])
  return rows[0] ?? {}
}

function big(text: string | undefined): bigint {
  return BigInt(text ?? '0')
}

function unless(holds: boolean, violation: string): string[] {
  return holds ? [] : [violation]
}
