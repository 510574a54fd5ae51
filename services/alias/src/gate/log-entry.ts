import type { Identity } from '@ratchet/contracts/identity'
import type { LogEntry } from '@ratchet/contracts/logs'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'

/** An entry with its content; null when it is gone, or the log with it. */
export async function logEntry(
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
