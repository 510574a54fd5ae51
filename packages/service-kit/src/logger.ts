import { type Logger, pino } from 'pino'

/** The fleet's log: JSON lines with the service's name. Never given a prompt, a completion or a key. */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level, base: { name, pid: process.pid } })
}
