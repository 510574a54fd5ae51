import { type Logger, pino } from 'pino'

export type LogLine = Readonly<Record<string, unknown>>

/** A real logger whose lines the test reads, as parsed JSON, oldest first. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = []
  const logger = pino(
    { level: 'trace', base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  )
  return { logger, lines }
}
