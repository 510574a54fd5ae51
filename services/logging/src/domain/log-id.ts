/** The public id of a log entry. */
export function logIdOf(uuid: string): string {
  return `log_${uuid.replaceAll('-', '')}`
}

/** The UUID behind a log entry's id; null for what can be none of ours. */
export function uuidOfLog(logId: string): string | null {
  const parts = /^log_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(logId)
  return parts === null ? null : parts.slice(1).join('-')
}
