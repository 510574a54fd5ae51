import { publicId, uuidOf } from '@ratchet/contracts/public-id'

/** The public id of a log entry. */
export function logIdOf(uuid: string): string {
  return publicId('log', uuid)
}

/** The UUID of a log entry's public id; null when the id is malformed. */
export function uuidOfLog(logId: string): string | null {
  return uuidOf('log', logId)
}
