import pg from 'pg'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'

/** What the wallet of the fleet's workspace paid, nano-dollars. */
interface Charged {
  readonly all: bigint
  /** For requests that named an alias. */
  readonly ofAlias: bigint
  /** By what it was for, such as `chat` or `judge`. */
  readonly byKind: Readonly<Record<string, bigint>>
}

interface ChargedRow {
  readonly kind: string
  readonly of_alias: string
  readonly cost: string
}

const statement = `
  SELECT kind, coalesce(sum(cost) FILTER (WHERE alias <> ''), 0)::text AS of_alias, sum(cost)::text AS cost FROM (
    SELECT kind, alias, cost FROM charge WHERE wallet_id = $1
    UNION ALL
    SELECT kind, alias, cost FROM billing_request WHERE wallet_id = $1 AND cost IS NOT NULL
  ) paid GROUP BY kind HAVING sum(cost) > 0`

/** Reads what was paid for what, from the requests of the ledger. */
export async function chargedFor({ databaseUrl, workspace }: RunningFleet): Promise<Charged> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<ChargedRow>(statement, [workspace.workspaceId])
    const sumOf = (column: 'of_alias' | 'cost') => rows.reduce((sum, row) => sum + BigInt(row[column]), 0n)
    return {
      all: sumOf('cost'),
      ofAlias: sumOf('of_alias'),
      byKind: Object.fromEntries(rows.map(({ kind, cost }) => [kind, BigInt(cost)])),
    }
  } finally {
    await client.end()
  }
}
