import type { UsageGroup } from '@ratchet/contracts/billing'
import { Purpose } from '@ratchet/contracts/identity'

/** Kinds of charges that are groups of their own; all others are traffic. */
const purposes = [...Purpose.options, 'training', 'dedicated', 'voice'].map((each) => `'${each}'`).join(', ')

/** The group of a row of `usage_hour u`; null becomes the group without one. */
export const usageGroupSql: Readonly<Record<UsageGroup, string>> = {
  key: "nullif(u.key_id::text, '00000000-0000-0000-0000-000000000000')",
  model: "nullif(u.model, '')",
  tag: "nullif(u.tag, '')",
  alias: "nullif(u.alias, '')",
  purpose: `CASE WHEN u.kind IN (${purposes}) THEN u.kind ELSE 'traffic' END`,
  day: "to_char(u.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
}
