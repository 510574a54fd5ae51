import { formatUsd } from '@ratchet/contracts/money'
import { editMember, editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { replyLimits } from '../wire/chat/read-reply.ts'
import type { ReplyBytes } from '../wire/provider.ts'
import type { Usage } from '../wire/usage.ts'
import { conversationMember } from './named-conversation.ts'
import type { Charged } from './surface.ts'

/**
 * A reply with `usage.cost_usd`, and with the session that its client named. If the provider reported no usage that can be believed, the counted one replaces all of it. All
 * other bytes are unchanged.
 *
 * @param spell writes usage in the fields of the dialect
 */
export function finishWithUsage(
  { bytes, scan }: ReplyBytes,
  charged: Charged,
  spell: (usage: Usage) => object,
): Buffer {
  const { usage, isReported, chargedNano } = charged
  const cost = { cost_usd: formatUsd(chargedNano) }
  const counted = Buffer.from(JSON.stringify({ usage: spell(usage) }))
  const reported = isReported ? { bytes, scan } : { bytes: counted, scan: scanned(counted) }
  return editTopLevel(bytes, scan, {
    usage: editMember(reported.bytes, reported.scan, 'usage', cost),
    ...conversationMember(charged),
  })
}

function scanned(bytes: Buffer): ReplyBytes['scan'] {
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) throw new Error(`counted usage cannot be scanned: ${scan.reason}`)
  return scan
}
