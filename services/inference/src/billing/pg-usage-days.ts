import type { UsageGroup } from '@ratchet/contracts/billing'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Period, UsageOfDay } from './accounts.ts'
import { usageGroupSql, usageSourceSql } from './usage-group-sql.ts'

/** Groups that are told apart in each day, the most expensive of the period. */
const maxDayGroups = 5

/** Charges of wallet $1 in [$2, $3) by day: of the largest groups, of the others, and what has no group. */
const daysStatement = (groupBy: UsageGroup) => `
WITH used AS (
  SELECT to_char(u.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, ${usageGroupSql[groupBy]} AS name, sum(cost) AS cost
  FROM ${usageSourceSql(groupBy)} WHERE u.wallet_id = $1::uuid AND u.hour >= $2::timestamptz AND u.hour < $3::timestamptz
  GROUP BY 1, 2
),
largest AS (SELECT name, true AS is_large FROM used GROUP BY name ORDER BY sum(cost) DESC, name LIMIT $4::int),
charged AS (
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, -sum(amount) AS cost FROM ledger_entry
  WHERE wallet_id = $1::uuid AND account = 'wallet' AND reason NOT IN ('top_up', 'correction') AND at >= $2::timestamptz AND at < $3::timestamptz
  GROUP BY 1
)
SELECT used.day, CASE WHEN is_large THEN 'group' ELSE 'others' END AS kind,
  CASE WHEN is_large THEN used.name END AS name, sum(used.cost) AS cost
FROM used LEFT JOIN largest ON largest.name IS NOT DISTINCT FROM used.name GROUP BY 1, 2, 3
UNION ALL
SELECT day, 'unattributed', NULL, coalesce(charged.cost, 0) - coalesce(attributed.cost, 0)
FROM charged FULL JOIN (SELECT day, sum(cost) AS cost FROM used GROUP BY 1) AS attributed USING (day)
WHERE coalesce(charged.cost, 0) <> coalesce(attributed.cost, 0)
ORDER BY 1, 2, 4 DESC`

interface DayRow {
  readonly day: string
  readonly kind: UsageOfDay['kind']
  readonly name: string | null
  readonly cost: string
}

export async function readUsageDays(
  pool: Pick<Pool, 'query'>,
  workspaceId: string,
  { from, to, groupBy }: Period & { readonly groupBy: UsageGroup },
): Promise<readonly UsageOfDay[]> {
  const { rows } = await pool.query<DayRow>(daysStatement(groupBy), [workspaceId, from, to, maxDayGroups])
  return rows.map(({ day, kind, name, cost }) => ({ day, kind, group: name, costNano: BigInt(cost) }))
}
