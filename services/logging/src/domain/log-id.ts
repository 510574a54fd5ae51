import { publicId, uuidOf } from '@ratchet/contracts/public-id'

/** The public id of a log entry. */
export function logIdOf(uuid: string): string {
  return publicId('log', uuid)
}

/** The UUID behind a log entry's id; null for what can be none of ours. */
export function uuidOfLog(logId: string): string | null {
  return uuidOf('log', logId)
}
