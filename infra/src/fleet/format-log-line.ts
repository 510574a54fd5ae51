const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}

/** Fields that every line has and that a reader does not need. */
const omitted = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'service'])

/** Formats a line of pino for people: `14:03:21 WARN message key=value`. Returns any other line unchanged. */
export function formatLogLine(line: string): string {
  const entry = parse(line)
  if (entry === null) return line
  const { level, time, msg } = entry
  const clock = typeof time === 'number' || typeof time === 'string' ? new Date(time).toTimeString().slice(0, 8) : ''
  const fields = Object.entries(entry).flatMap(([key, value]) =>
    omitted.has(key) ? [] : [`${key}=${formatValue(value)}`],
  )
  const words = [clock, levels[Number(level)] ?? '', typeof msg === 'string' ? msg : '', ...fields]
  return words.filter((word) => word !== '').join(' ')
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  const message = (value as { message?: unknown } | null)?.message
  return typeof message === 'string' ? JSON.stringify(message) : JSON.stringify(value)
}
