import { formatUsd } from '@ratchet/contracts/money'
import { editMember, editTopLevel } from '../wire/json/edit-json.ts'
import type { ReplyBytes } from '../wire/provider.ts'
import type { Usage } from '../wire/usage.ts'
import type { Charged } from './surface.ts'

/**
 * A reply with `usage.cost_usd`, and with the counted usage if the provider reported none. All other bytes are
 * unchanged.
 *
 * @param spell writes usage in the fields of the dialect
 */
export function finishWithUsage(
  { bytes, scan }: ReplyBytes,
  { usage, isReported, chargedNano }: Charged,
  spell: (usage: Usage) => object,
): Buffer {
  const counts = isReported ? {} : mapValues(spell(usage))
  const ours = { ...counts, cost_usd: formatUsd(chargedNano) }
  return editTopLevel(bytes, scan, { usage: editMember(bytes, scan, 'usage', ours) })
}

function mapValues(object: object): Record<string, string> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, JSON.stringify(value)]))
}
