import { parseArgs } from 'node:util'
import { ReadableError } from '../terminal/readable-error.ts'
import { services } from './service-list.ts'

export interface StartOptions {
  /** Run in the background, and return when everything is ready. */
  readonly detach: boolean
  /** Delete all data first. */
  readonly reset: boolean
  /** Record every trace, and print the addresses of metrics, alert rules and dashboards. */
  readonly telemetry: boolean
  /** The port of the API. */
  readonly port?: number
  /** The service whose processes restart when one of their files is saved. */
  readonly watch?: string
}

const usage = 'npm start -- [--detach] [--reset] [--telemetry] [--port <number>] [--watch <service>]'

/** @throws ReadableError for an unknown option or value */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const { detach = false, reset = false, telemetry = false, port, watch } = parse(args)
  return {
    detach,
    reset,
    telemetry,
    ...(port === undefined ? {} : { port: parsePort(port) }),
    ...(watch === undefined ? {} : { watch: knownService(watch) }),
  }
}

function parsePort(port: string): number {
  const number = Number(port)
  if (Number.isInteger(number) && number >= 1 && number <= 65_535) return number
  throw new ReadableError(`--port takes a number from 1 to 65535, not "${port}". ${usage}`)
}

function knownService(name: string): string {
  if (services.some((service) => service.name === name)) return name
  const names = services.map((service) => service.name).join(', ')
  throw new ReadableError(`There is no service "${name}". There are ${names}.`)
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
        watch: { type: 'string' },
      },
    }).values
  } catch (error) {
    throw new ReadableError(`${(error as Error).message.split('.')[0]}. ${usage}`)
  }
}
