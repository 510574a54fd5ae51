import type { Pool } from './connect-pool.ts'

export type UsageGrouping = 'key' | 'user' | 'model' | 'tag' | 'alias' | 'kind' | 'day'

/** The group of a row of usage; null becomes the group without one. */
const groups: Readonly<Record<UsageGrouping, string>> = {
  key: "nullif(u.key_id::text, '00000000-0000-0000-0000-000000000000')",
  user: 'u.end_user',
  model: "nullif(u.model, '')",
  tag: "nullif(u.tag, '')",
  alias: "nullif(u.alias, '')",
  kind: 'u.kind',
  day: "to_char(u.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
}

const sums = 'requests, prompt_tokens, completion_tokens, cost'

/** What end users spent, and all usage less that. */
const byUser = `(
  SELECT wallet_id, hour, end_user_id::text AS end_user, ${sums} FROM usage_user_hour
  UNION ALL SELECT wallet_id, hour, NULL, ${sums} FROM usage_hour
  UNION ALL SELECT wallet_id, hour, NULL, -requests, -prompt_tokens, -completion_tokens, -cost FROM usage_user_hour
) AS u`

/** Charges of wallet $1 in the whole hours of [$2, $3), and what the ledger charged in the same time. */
const statementOf = (grouping: UsageGrouping) => `
WITH grouped AS (
  SELECT ${groups[grouping]} AS name, sum(requests) AS requests, sum(cost) AS cost
  FROM ${grouping === 'user' ? byUser : 'usage_hour u'}
  WHERE u.wallet_id = $1::uuid AND u.hour >= $2::timestamptz AND u.hour < $3::timestamptz GROUP BY 1
),
charged AS (
  SELECT coalesce(-sum(amount), 0) AS cost FROM ledger_entry
  WHERE wallet_id = $1::uuid AND account = 'wallet' AND reason NOT IN ('top_up', 'correction')
    AND at >= $2::timestamptz AND at < $3::timestamptz
)
SELECT charged.cost AS charges, g.name, g.requests, g.cost FROM charged LEFT JOIN grouped g ON true
ORDER BY ${grouping === 'day' ? 'g.name' : 'g.cost DESC, g.name'}`

interface Row {
  readonly charges: string
  readonly name: string | null
  /** Null in the only row of a period without usage. */
  readonly requests: string | null
  readonly cost: string | null
}

export interface UsageRow {
  /** Null: without one. */
  readonly group: string | null
  readonly requests: number
  readonly costNano: bigint
}

export interface UsageReport {
  /** What the ledger charged in the period: the sum of all groups and of the rest. */
  readonly chargesNano: bigint
  /** Charged by releases that did not record what for. */
  readonly unattributedNano: bigint
  readonly groups: readonly UsageRow[]
}

/** What a workspace was charged for, from the database of its ledger. Both times are whole hours. */
export async function readUsageReport(
  pool: Pick<Pool, 'query'>,
  workspaceId: string,
  { from, to, grouping }: { readonly from: Date; readonly to: Date; readonly grouping: UsageGrouping },
): Promise<UsageReport> {
  const { rows } = await pool.query<Row>(statementOf(grouping), [workspaceId, from, to])
  const found = rows.flatMap(({ name, requests, cost }) =>
    cost === null ? [] : [{ group: name, requests: Number(requests), costNano: BigInt(cost) }],
  )
  const chargesNano = BigInt(rows[0]?.charges ?? 0)
  const attributed = found.reduce((total, { costNano }) => total + costNano, 0n)
  return { chargesNano, unattributedNano: chargesNano - attributed, groups: found }
}
