import { availableParallelism, platform } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { readJsonLines, writeReport } from '../test/report-file.ts'
import { runJest } from '../test/run-jest.ts'
import { faultRun } from '../test/stages.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import type { FaultOptions } from './fault-options.ts'
import { type FaultNotes, faultReport } from './fault-report.ts'

export interface RunFaultsOptions extends FaultOptions {
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** Ids of all faults, as `test-e2e/faults` numbers them. */
const everyFault = Array.from({ length: 38 }, (_, index) => `F${index + 1}`)
/** Only a run of all faults writes it. */
const reportFile = path.join(repositoryRoot, 'docs', 'faults.md')

/**
 * Runs the fault tests and prints their results. A run of all faults writes `docs/faults.md`.
 *
 * @returns whether every promise was kept
 */
export async function runFaults({ seed, only, terminal, signal }: RunFaultsOptions): Promise<boolean> {
  return withTempFolder(async (tempFolder) => {
    const startedAt = performance.now()
    const notesFile = path.join(tempFolder, 'faults.jsonl')
    const env = { FAULT_SEED: String(seed), FAULT_REPORT: notesFile }
    let done = 0
    const onProgress = (files: number) => {
      if (files > done) terminal.line(`  ${files} files done`)
      done = files
    }
    const { counts, output, groups } = await runJest({
      ...faultRun,
      ...matching(only),
      env,
      tempFolder,
      signal,
      onProgress,
    })
    const seconds = (performance.now() - startedAt) / 1_000
    const ids = only.length === 0 ? everyFault : only
    const run = {
      seed,
      ids,
      at: new Date(),
      seconds,
      machine: machine(),
      notes: readJsonLines<FaultNotes>(notesFile),
      groups,
    }
    if (only.length === 0 && !signal.aborted) await writeReport(reportFile, faultReport(run), signal)
    else terminal.line(faultReport(run))
    if (counts.failed > 0) terminal.line(output)
    terminal.line(formatTotal(counts))
    return counts.failed === 0
  })
}

/** Files have names like `f19-what-happens.fault.test.ts`. */
function matching(only: readonly string[]): { readonly match?: string } {
  if (only.length === 0) return {}
  return { match: `/f(${only.map((id) => id.slice(1).padStart(2, '0')).join('|')})-` }
}

function machine(): string {
  return `${platform()}, ${availableParallelism()} cores, Node ${process.versions.node}`
}
