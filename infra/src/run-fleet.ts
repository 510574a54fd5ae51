import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createDataFolder, type DataPaths } from './data-paths.ts'
import { type FleetInfo, removeFleetFile, writeFleetFile } from './fleet-file.ts'
import { createLogOutput } from './log-output.ts'
import { type Claim, claimRun, recordChildren, releaseRun } from './run-record.ts'
import { type FleetAddresses, startFleet } from './start-fleet.ts'
import type { StartOptions } from './start-options.ts'
import { onStopSignals } from './stop-signals.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'
import type { Terminal } from './terminal.ts'

export interface RunFleetOptions {
  readonly data: DataPaths
  readonly env: Readonly<Record<string, string | undefined>>
  readonly start: StartOptions
  readonly terminal: Terminal
  /** Show what the processes print, not only keep it in files. */
  readonly showLogs: boolean
  readonly colours: boolean
  readonly onReady: (info: FleetInfo) => Promise<void>
}

export type RunFleetResult = { readonly kind: 'stopped' } | Exclude<Claim, { kind: 'claimed' }>

/**
 * Runs a fleet from start to stop: returns when a signal has stopped it, or at once when one runs on the folder.
 *
 * @throws ReadableError when it could not be started; whatever did start has been stopped again
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
  const supervisor = createSupervisor({ onLine: logs.write, say: (text) => terminal.line(`▸ ${text}`), onPids })
  const stopped = onStopSignals({ stop: () => stopFleet(supervisor, terminal), hurry: supervisor.hurry })
  try {
    const { port } = start
    addresses = await startFleet({ data, env, supervisor, terminal, ...(port === undefined ? {} : { port }) })
    const info = fleetInfo(addresses, supervisor.pids())
    writeFleetFile(data.fleetFile, info)
    await onReady(info)
    await stopped.done
  } catch (error) {
    // What was interrupted while it started failed because we stopped it.
    if (!stopped.requested()) throw error
    await stopped.done
  } finally {
    await supervisor.stop()
    await logs.close()
  }
}

async function stopFleet(supervisor: Supervisor, terminal: Terminal): Promise<void> {
  const deadline = 'requests are still running; Ctrl-C again (or `npm stop -- --now`) cuts them off'
  const hint = setTimeout(() => terminal.line(`▸ ${deadline}`), 3_000)
  await terminal.step('stopping', () => supervisor.stop())
  clearTimeout(hint)
}

function fleetInfo(addresses: FleetAddresses, pids: Readonly<Record<string, number>>): FleetInfo {
  return { ...addresses, pids: { supervisor: process.pid, ...pids } }
}

/** Everything but the note that the folder is ours. */
function removeData({ data, env, terminal }: RunFleetOptions): void {
  if ((env.DATABASE_URL ?? '') !== '') terminal.line('▸ --reset leaves the database at DATABASE_URL as it is')
  for (const name of readdirSync(data.folder)) {
    const file = path.join(data.folder, name)
    if (file !== data.runFile && file !== data.logs) rmSync(file, { recursive: true, force: true })
  }
}
