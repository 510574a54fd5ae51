import { type Logger, pino } from 'pino'

/** Creates a logger that prints JSON lines with the service's name. Prompts, answers and keys must never be logged. */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level, base: { name, pid: process.pid } })
}
