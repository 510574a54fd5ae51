/* npm run bench: measures the cost of the product beside other gateways and plain proxies, and writes a report. */

import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { findProgram } from '@ratchet/infra/processes/find-program'
import { ReadableError, runCommand } from '@ratchet/infra/terminal/readable-error'
import { onStopSignals } from '@ratchet/infra/terminal/stop-signals'
import { createTerminal, type Terminal } from '@ratchet/infra/terminal/terminal'
import { describeMachine, moveToLoadCores, planCores } from './machine/machine.ts'
import { refusalOf, watchMachine } from './machine/machine-use.ts'
import { parseBenchOptions } from './options.ts'
import { renderReport } from './report/render-report.ts'
import { writeResults } from './report/write-results.ts'
import { runBench } from './run-bench.ts'
import { createProcessGroup } from './targets/process-group.ts'

await runCommand(async () => {
  const args = process.argv.slice(2)
  const options = parseBenchOptions(args)
  const terminal = createTerminal({ write: (text) => process.stdout.write(text), now: () => performance.now() })
  const disturbance = await requireQuietMachine(terminal, options.force)
  const cores = planCores()
  if (cores !== null) moveToLoadCores(cores)
  const folder = path.join(repositoryRoot, '.data', `bench-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755) // Postgres may run as another user, who has to pass through.
  const group = createProcessGroup(cores, (line) => terminal.line(`  ${line}`))
  const cleanUp = async () => {
    await group.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  onStopSignals({ stop: () => cleanUp().finally(() => process.exit(130)), hurry: () => process.exit(130) })
  try {
    const measured = await runBench({
      options,
      terminal,
      group,
      folder,
      hasWrk: findProgram('wrk') !== null,
      targetCore: cores?.target ?? null,
    })
    const report = {
      ...measured,
      date: new Date().toISOString().slice(0, 10),
      machine: describeMachine(),
      node: process.versions.node,
      command: ['npm run bench', ...(args.length === 0 ? [] : ['--', ...args])].join(' '),
      notes: [
        ...measured.notes,
        ...disturbance,
        ...(cores === null ? ['Nothing was pinned to a core: no taskset, or one core.'] : []),
      ],
    }
    terminal.line(`\n${renderReport(report)}`)
    for (const file of writeResults(report, options)) terminal.line(`▸ written: ${file}`)
  } finally {
    await cleanUp()
  }
  process.exit()
})

/** @returns a remark for the report when the machine is loaded and `force` allows it */
async function requireQuietMachine(terminal: Terminal, force: boolean): Promise<string[]> {
  const use = await terminal.step('is the machine quiet', watchMachine)
  const refusal = use === null ? null : refusalOf(use)
  if (use === null || refusal === null) return []
  if (!force) throw new ReadableError(refusal)
  return [`Run with --force while other programs used ${Math.round(use.percent)} % of the machine.`]
}
