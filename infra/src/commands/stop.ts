import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { dataPaths } from '../fleet/data-paths.ts'
import { readJson, removeFleetFile } from '../fleet/fleet-file.ts'
import { endLeftovers, type RunRecord, releaseRun } from '../fleet/run-record.ts'
import { isRunning, type ProcessIdentity } from '../processes/process-identity.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'

const terminal = stdoutTerminal()

await runCommand(async () => {
  const { now = false } = parseArgs({ options: { now: { type: 'boolean' } } }).values
  const data = dataPaths(process.env.RATCHET_DATA_DIR)
  const record = readJson<RunRecord>(data.runFile)
  if (record === null) return terminal.line('Nothing is running.')
  if (isRunning(record.supervisor)) return stop(record.supervisor, now)
  await endLeftovers(record, (text) => terminal.line(`▸ ${text}`))
  removeFleetFile(data.fleetFile)
  releaseRun(data.runFile)
})

async function stop(supervisor: ProcessIdentity, now: boolean): Promise<void> {
  await terminal.step('stopping', async () => {
    process.kill(supervisor.pid, 'SIGTERM')
    for (let waitedMs = 0; isRunning(supervisor); waitedMs += 50) {
      // The supervisor counts signals less than a second apart as one.
      if (now && waitedMs === 1_500) process.kill(supervisor.pid, 'SIGTERM')
      if (!now && waitedMs === 3_000) terminal.line('▸ requests are still running; `npm stop -- --now` cancels them')
      await sleep(50)
    }
  })
}
