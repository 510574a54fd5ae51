import path from 'node:path'
import type { SimulatedRate } from '@ratchet/testing/describe-rates'
import { repositoryRoot } from '../fleet/data-paths.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { readJsonLines, writeReport } from '../test/report-file.ts'
import { runJest } from '../test/run-jest.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { ratesTable } from './rates-table.ts'

export interface RunSimulationsOptions {
  /** Only files whose path contains this text; all when null. */
  readonly match: string | null
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** Only a run of all simulations writes it. */
const reportFile = path.join(repositoryRoot, 'docs', 'simulated-rates.md')
const timeoutMs = 6 * 3_600_000

/**
 * Runs the simulations at full length and prints their rates. A run of all simulations writes `docs/simulated-rates.md`.
 *
 * @returns whether every promise was kept
 */
export async function runSimulations({ match, terminal, signal }: RunSimulationsOptions): Promise<boolean> {
  return withTempFolder(async (tempFolder) => {
    const ratesFile = path.join(tempFolder, 'rates.jsonl')
    let done = 0
    const { counts, output } = await runJest({
      size: 'unit',
      match: `${match ?? ''}.*\\.simulation\\.test\\.ts$`,
      workers: 2,
      timeoutMs,
      env: { SIMULATION_REPORT: ratesFile },
      tempFolder,
      signal,
      onProgress(files) {
        if (files > done) terminal.line(`  ${files} files done`)
        done = files
      },
    })
    const report = ratesTable(readJsonLines<SimulatedRate>(ratesFile), new Date())
    if (match === null && !signal.aborted) await writeReport(reportFile, report, signal)
    terminal.line(report)
    if (counts.failed > 0) terminal.line(output)
    terminal.line(formatTotal(counts))
    return counts.failed === 0
  })
}
