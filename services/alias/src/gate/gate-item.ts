import type { Identity } from '@ratchet/contracts/identity'
import type { GateItem } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'

/** Reads an exchange with its content; null when it was deleted or logging is off. */
export async function readEntry(
  log: Pick<LogReader, 'entry'>,
  identity: Identity,
  logId: string,
): Promise<LogEntry | null> {
  try {
    return await log.entry(identity, logId)
  } catch (error) {
    if (error instanceof LoggingIsOff) return null
    throw error
  }
}

/** An exchange as input of a judge. @param response judged in place of the logged answer; null for the logged answer */
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
