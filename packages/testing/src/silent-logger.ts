import { type Logger, pino } from 'pino'

/** A logger that writes nothing. */
export const silentLogger: Logger = pino({ level: 'silent' })
