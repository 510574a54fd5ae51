import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { onStopSignals } from '@ratchet/infra/terminal/stop-signals'
import { describeMachine } from '../machine/machine.ts'
import { createProcessGroup } from '../targets/process-group.ts'
import { type BenchFleet, type MeasuredWorker, startFleet } from './start-fleet.ts'

/** Date and machine of a measurement. */
export interface Circumstances {
  readonly date: string
  readonly machine: string
  readonly cores: number
}

export interface FleetRun {
  /** Name of the file in `results/`, without its extension. */
  readonly name: string
  readonly measured: MeasuredWorker
  /** Measures, and returns the result as Markdown. */
  readonly work: (fleet: BenchFleet, circumstances: Circumstances) => Promise<string>
}

/** Runs a measurement on a new fleet, prints and stores the result, then ends the process. */
export async function runOnFleet({ name, measured, work }: FleetRun): Promise<never> {
  const folder = path.join(repositoryRoot, '.data', `bench-${name}-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755) // Postgres may run as another user, who must be able to enter the folder.
  const group = createProcessGroup(null, (line) => process.stdout.write(`  ${line}\n`))
  const cleanUp = async () => {
    await group.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  onStopSignals({ stop: () => cleanUp().finally(() => process.exit(130)), hurry: () => process.exit(130) })
  try {
    const date = new Date().toISOString().slice(0, 10)
    const circumstances = { date, machine: describeMachine(), cores: availableParallelism() }
    const markdown = await work(await startFleet(group, folder, measured), circumstances)
    process.stdout.write(`\n${markdown}`)
    writeFileSync(path.join(repositoryRoot, `bench/results/${name}.md`), markdown)
  } finally {
    await cleanUp()
  }
  process.exit()
}
