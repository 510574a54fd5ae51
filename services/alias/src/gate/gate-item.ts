import type { GateItem } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'

/** An exchange as judging takes it: to be judged by its logged answer, or by another in its place. */
export function gateItemOf(entry: LogEntry, response: GateItem['response'] = null): GateItem {
  return {
    log_id: entry.id,
    segment: entry.segment,
    tag: entry.tag,
    created_at: entry.created_at,
    expires_at: entry.expires_at,
    response,
  }
}
