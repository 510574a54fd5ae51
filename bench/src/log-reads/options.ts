import { parseArgs } from 'node:util'
import { ReadableError } from '@ratchet/infra/terminal/readable-error'

export interface LogReadOptions {
  readonly exchanges: number
  /** Number of requests per figure. */
  readonly rounds: number
  /** A loaded database, and a key of its workspace. */
  readonly loaded: { readonly databaseUrl: string; readonly apiKey: string } | null
}

/** @throws ReadableError for an unknown option or value */
export function parseLogReadOptions(args: readonly string[]): LogReadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      exchanges: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '40' },
      database: { type: 'string' },
      key: { type: 'string' },
    },
  })
  const { database, key } = values
  if ((database === undefined) !== (key === undefined)) throw new ReadableError('--database and --key go together.')
  return {
    exchanges: wholeNumber('exchanges', values.exchanges),
    rounds: wholeNumber('rounds', values.rounds),
    loaded: database === undefined || key === undefined ? null : { databaseUrl: database, apiKey: key },
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new ReadableError(`--${name} must be a whole number from 1 on, not ${text}.`)
}
