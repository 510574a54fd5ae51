import type { UsageGroup } from '@ratchet/contracts/billing'
import { Purpose } from '@ratchet/contracts/identity'

/** Kinds of charges that are groups of their own; all others are traffic. */
const purposes = [...Purpose.options, 'training', 'dedicated', 'voice'].map((each) => `'${each}'`).join(', ')

/** The group of a row of `usage_hour u`; null becomes the group without one. */
export const usageGroupSql: Readonly<Record<UsageGroup, string>> = {
  key: "nullif(u.key_id::text, '00000000-0000-0000-0000-000000000000')",
  user: 'u.end_user',
  model: "nullif(u.model, '')",
  tag: "nullif(u.tag, '')",
  alias: "nullif(u.alias, '')",
  purpose: `CASE WHEN u.kind IN (${purposes}) THEN u.kind ELSE 'traffic' END`,
  day: "to_char(u.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
}

/**
 * The rows that a grouping sums up, as `u`. By end user: the sums of end users, and what remains of all usage without one, so that
 * both together are what all others add up to.
 */
export function usageSourceSql(group: UsageGroup): string {
  if (group !== 'user') return 'usage_hour u'
  const sums = 'requests, prompt_tokens, completion_tokens, cost'
  return `(
  SELECT wallet_id, hour, end_user_id::text AS end_user, ${sums} FROM usage_user_hour
  UNION ALL SELECT wallet_id, hour, NULL, ${sums} FROM usage_hour
  UNION ALL SELECT wallet_id, hour, NULL, -requests, -prompt_tokens, -completion_tokens, -cost FROM usage_user_hour
) AS u`
}
