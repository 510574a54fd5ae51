import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createSupervisor, type Supervisor } from '../processes/supervisor.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { backOffice, serviceOfLine } from './back-office-spec.ts'
import { createDataFolder, type DataPaths } from './data-paths.ts'
import { type FleetInfo, removeFleetFile, writeFleetFile } from './fleet-file.ts'
import { createLogOutput } from './log-output.ts'
import { type Claim, claimRun, recordChildren, releaseRun } from './run-record.ts'
import { type FleetAddresses, type StartFleetOptions, startFleet } from './start-fleet.ts'
import type { StartOptions } from './start-options.ts'

export interface RunFleetOptions {
  readonly data: DataPaths
  readonly env: Readonly<Record<string, string | undefined>>
  readonly start: StartOptions
  readonly terminal: Terminal
  /** Print the output of the processes, beside writing it to files. */
  readonly showLogs: boolean
  readonly colours: boolean
  readonly onReady: (info: FleetInfo) => Promise<void>
}

export type RunFleetResult = { readonly kind: 'stopped' } | Exclude<Claim, { kind: 'claimed' }>

/**
 * Runs a fleet until a signal stops it. Returns at once when a fleet already runs on the folder.
 *
 * @throws ReadableError when the fleet could not be started; processes that did start are stopped first
 */
export async function runFleet(options: RunFleetOptions): Promise<RunFleetResult> {
  const { data, terminal } = options
  createDataFolder(data)
  const claim = await claimRun(data.runFile, (text) => terminal.line(`▸ ${text}`))
  if (claim.kind === 'taken') return claim
  try {
    removeFleetFile(data.fleetFile)
    if (options.start.reset) removeData(options)
    await runClaimed(options)
    return { kind: 'stopped' }
  } finally {
    removeFleetFile(data.fleetFile)
    releaseRun(data.runFile)
  }
}

async function runClaimed({ data, env, start, terminal, showLogs, colours, onReady }: RunFleetOptions): Promise<void> {
  const show = showLogs ? { show: terminal.line } : {}
  const logs = createLogOutput({ folder: data.logs, colours, hidden: new Set(['postgres', 'redis']), ...show })
  let addresses: FleetAddresses | null = null
  const onPids = (pids: Readonly<Record<string, number>>) => {
    recordChildren(data.runFile, pids)
    if (addresses !== null) writeFleetFile(data.fleetFile, fleetInfo(addresses, pids))
  }
  const supervisor = createSupervisor({
    onLine: (name, line) => logs.write(name === backOffice ? serviceOfLine(line) : name, line),
    say: (text) => terminal.line(`▸ ${text}`),
    onPids,
  })
  const stopped = onStopSignals({ stop: () => stopFleet(supervisor, terminal), hurry: supervisor.hurry })
  try {
    addresses = await startOnFreePorts({ ...start, data, env, supervisor, terminal })
    const info = fleetInfo(addresses, supervisor.pids())
    writeFleetFile(data.fleetFile, info)
    await onReady(info)
    await stopped.done
  } catch (error) {
    // A start that was interrupted by a signal is not a failure.
    if (!stopped.requested()) throw error
    await stopped.done
  } finally {
    await supervisor.stop()
    await logs.close()
  }
}

/** Starts again, on other ports, when another program took one between its choice and its use. */
async function startOnFreePorts(options: StartFleetOptions): Promise<FleetAddresses> {
  const { supervisor, terminal } = options
  for (let left = maxPortRetries; ; left -= 1) {
    try {
      return await startFleet(options)
    } catch (error) {
      if (left === 0 || supervisor.isStopping() || !portTaken.test((error as Error).message)) throw error
      terminal.line('▸ another program took a port meanwhile; starting again on other ports')
      await supervisor.clear()
    }
  }
}

const maxPortRetries = 2

/** What Node, Redis and Postgres say. */
const portTaken = /EADDRINUSE|address already in use|could not create any TCP\/IP sockets/i

async function stopFleet(supervisor: Supervisor, terminal: Terminal): Promise<void> {
  const deadline = 'requests are still running; Ctrl-C again (or `npm stop -- --now`) cancels them'
  const hint = setTimeout(() => terminal.line(`▸ ${deadline}`), 3_000)
  await terminal.step('stopping', () => supervisor.stop())
  clearTimeout(hint)
}

function fleetInfo(addresses: FleetAddresses, pids: Readonly<Record<string, number>>): FleetInfo {
  return { ...addresses, pids: { supervisor: process.pid, ...pids } }
}

/** Removes all data except the record that this process uses the folder. */
function removeData({ data, env, terminal }: RunFleetOptions): void {
  if ((env.DATABASE_URL ?? '') !== '') terminal.line('▸ --reset does not change the database at DATABASE_URL')
  for (const name of readdirSync(data.folder)) {
    const file = path.join(data.folder, name)
    if (file !== data.runFile && file !== data.logs) rmSync(file, { recursive: true, force: true })
  }
}
