import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning, type ProcessIdentity } from '../processes/process-identity.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { DataPaths } from './data-paths.ts'
import { readFleetFile } from './fleet-file.ts'
import type { StartOptions } from './start-options.ts'

export interface RunningFleet {
  readonly data: DataPaths
  /** Options of the second start. */
  readonly options: StartOptions
  readonly supervisor: ProcessIdentity
}

/**
 * Returns the text that a second start prints: the address of the running fleet, once that is ready.
 *
 * @throws ReadableError when the options of the second start need a fleet of its own
 */
export async function describeRunning({ data, options, supervisor }: RunningFleet): Promise<string> {
  const who = `Ratchet already runs on ${data.folder} (process ${supervisor.pid})`
  if (options.reset || options.telemetry || options.port !== undefined || options.watch !== undefined)
    throw new ReadableError(`${who}. Run \`npm stop\` first.`)
  for (;;) {
    const fleet = readFleetFile(data.fleetFile)
    if (fleet?.pids.supervisor === supervisor.pid) return `▸ ${who}: ${fleet.base_url}/v1 — \`npm stop\` stops it.`
    if (!isRunning(supervisor)) throw new ReadableError('The other start failed. Try again.')
    await sleep(100)
  }
}
