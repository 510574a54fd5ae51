import { formatUsd } from '@ratchet/contracts/money'
import { editMember, editTopLevel } from '../wire/json/edit-json.ts'
import type { ProviderReply } from '../wire/provider.ts'
import type { Usage } from '../wire/usage.ts'
import type { Charged } from './surface.ts'

/**
 * A reply with `usage.cost_usd`, and with our own counts where the provider gave none. All other bytes stay what
 * they were.
 *
 * @param spell how the dialect spells usage
 */
export function finishWithUsage(
  { bytes, scan }: Pick<ProviderReply, 'bytes' | 'scan'>,
  { usage, reported, chargedNano }: Charged,
  spell: (usage: Usage) => object,
): Buffer {
  const counts = reported ? {} : mapValues(spell(usage))
  const ours = { ...counts, cost_usd: formatUsd(chargedNano) }
  return editTopLevel(bytes, scan, { usage: editMember(bytes, scan, 'usage', ours) })
}

function mapValues(object: object): Record<string, string> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, JSON.stringify(value)]))
}
