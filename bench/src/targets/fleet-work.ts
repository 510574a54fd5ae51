import { connectPool } from '@ratchet/db/connect-pool'

interface WorkCounts {
  readonly posted: string
  readonly open: string
  readonly voided: string
  readonly held: string
  readonly logged: string
}

/** Shows that every answered request was charged and logged. Without that work the product would look cheaper than it is. */
export async function describeLedgerAndLog(databaseUrl: string, workspaceId: string): Promise<string[]> {
  const pool = connectPool({ databaseUrl, max: 1 })
  try {
    const { rows } = await pool.query<WorkCounts>(
      `SELECT count(*) FILTER (WHERE state = 'posted') AS posted, count(*) FILTER (WHERE state = 'open') AS open,
         count(*) FILTER (WHERE state = 'voided') AS voided,
         (SELECT held FROM wallet_now WHERE workspace_id = $1) AS held,
         (SELECT count(*) FROM exchange WHERE workspace_id = $1) AS logged
       FROM ledger_request WHERE wallet_id = $1`,
      [workspaceId],
    )
    return rows.map(
      ({ posted, open, voided, held, logged }) =>
        `Ratchet's ledger afterwards: ${posted} requests charged, ${voided} voided, ${open} open, ${held} held. Its log has ${logged} exchanges.`,
    )
  } finally {
    await pool.end()
  }
}
