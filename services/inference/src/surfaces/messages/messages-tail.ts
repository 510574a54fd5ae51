import { formatUsd } from '@ratchet/contracts/money'
import { replyLimits } from '../../wire/chat/read-reply.ts'
import { editMember, editTopLevel } from '../../wire/json/edit-json.ts'
import { scanJson } from '../../wire/json/scan-json.ts'
import { frameOf, messageEvent, wireMessagesUsage } from '../../wire/messages/message-event.ts'
import type { Charged } from '../surface.ts'

/** Of a stream that has its end mark, but never said why the model stopped. */
const ownDelta = Buffer.from('{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null}}')

/**
 * The last frames of a stream: `message_delta` with the cost in its usage, and with our own counts where the provider
 * gave none; then `message_stop`.
 *
 * @param delta the JSON of the provider's last `message_delta`, when it sent one
 */
export function messagesTail(delta: Buffer | null, charged: Charged): string {
  return frameOf('message_delta', withCost(delta ?? ownDelta, charged)) + messageEvent('message_stop', {})
}

function withCost(delta: Buffer, charged: Charged): string {
  const scan = scanJson(delta, replyLimits)
  if (!scan.ok) return withCost(ownDelta, { ...charged, reported: false })
  const { usage, reported, chargedNano } = charged
  const counts = reported ? [] : Object.entries(wireMessagesUsage(usage))
  const ours = Object.fromEntries(counts.map(([name, count]) => [name, JSON.stringify(count)]))
  const edited = editMember(delta, scan, 'usage', { ...ours, cost_usd: formatUsd(chargedNano) })
  return editTopLevel(delta, scan, { usage: edited }).toString('utf8')
}
