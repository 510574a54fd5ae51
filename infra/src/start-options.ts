import { parseArgs } from 'node:util'
import { ReadableError } from './readable-error.ts'

export interface StartOptions {
  /** Return when everything is ready and leave it running. */
  readonly detach: boolean
  /** Begin with empty data. */
  readonly reset: boolean
  /** Record every trace, and say where metrics, alert rules and dashboards are. */
  readonly telemetry: boolean
  /** The port of the API. */
  readonly port?: number
}

const usage = 'npm start -- [--detach] [--reset] [--telemetry] [--port <number>]'

/** @throws ReadableError for anything it does not know */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const { detach = false, reset = false, telemetry = false, port } = parse(args)
  if (port === undefined) return { detach, reset, telemetry }
  const number = Number(port)
  if (Number.isInteger(number) && number >= 1 && number <= 65_535) return { detach, reset, telemetry, port: number }
  throw new ReadableError(`--port takes a number from 1 to 65535, not "${port}". ${usage}`)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        detach: { type: 'boolean' },
        reset: { type: 'boolean' },
        telemetry: { type: 'boolean' },
        port: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new ReadableError(`${(error as Error).message.split('.')[0]}. ${usage}`)
  }
}
