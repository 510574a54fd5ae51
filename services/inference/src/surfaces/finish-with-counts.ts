import { formatUsd } from '@ratchet/contracts/money'
import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../wire/chat/read-reply.ts'
import type { ReplyBytes } from '../wire/provider.ts'
import type { Usage } from '../wire/usage.ts'
import type { Charged } from './surface.ts'

/**
 * A reply with a whole `usage`, whatever part of it the provider reported: what it reported and can be believed, the rest as
 * `spell` writes it, and the cost. All other bytes are unchanged.
 */
export function finishWithCounts(
  { bytes, scan }: ReplyBytes,
  { usage, isReported, chargedNano }: Charged,
  spell: (usage: Usage) => object,
): Buffer {
  const reported = isReported ? asObject(readObject(bytes)?.body.usage) : null
  const whole = { ...spell(usage), ...reported, cost_usd: Number(formatUsd(chargedNano)) }
  return editTopLevel(bytes, scan, { usage: JSON.stringify(whole) })
}
