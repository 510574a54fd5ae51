import { setTimeout as sleep } from 'node:timers/promises'
import type { DataPaths } from './data-paths.ts'
import { readFleetFile } from './fleet-file.ts'
import { isRunning, type ProcessIdentity } from './process-identity.ts'
import { ReadableError } from './readable-error.ts'
import type { StartOptions } from './start-options.ts'

export interface RunningFleet {
  readonly data: DataPaths
  /** What the second start asked for. */
  readonly options: StartOptions
  readonly supervisor: ProcessIdentity
}

/**
 * What a second start has to say: where the first one's fleet is, once that is ready.
 *
 * @throws ReadableError when the second start wanted something the first one does not give
 */
export async function describeRunning({ data, options, supervisor }: RunningFleet): Promise<string> {
  const who = `Ratchet runs already on ${data.folder} (process ${supervisor.pid})`
  if (options.reset || options.telemetry || options.port !== undefined)
    throw new ReadableError(`${who}. Run \`npm stop\` first.`)
  for (;;) {
    const fleet = readFleetFile(data.fleetFile)
    if (fleet?.pids.supervisor === supervisor.pid) return `▸ ${who}: ${fleet.base_url}/v1 — \`npm stop\` stops it.`
    if (!isRunning(supervisor)) throw new ReadableError('The start that was under way failed; try again.')
    await sleep(100)
  }
}
