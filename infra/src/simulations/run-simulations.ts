import { existsSync, readFileSync } from 'node:fs'
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
  /** Files that run at the same time, at least 1. */
  readonly workers: number
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

const reportFile = path.join(repositoryRoot, 'docs', 'simulated-rates.md')
const timeoutMs = 6 * 3_600_000

/**
 * Runs the simulations at full length, prints their rates and writes them to `docs/simulated-rates.md`, in place of all tables
 * that the same files wrote before, and of those whose file is gone. What does not run stays.
 *
 * @returns whether every promise was kept
 */
export async function runSimulations({ match, workers, terminal, signal }: RunSimulationsOptions): Promise<boolean> {
  return withTempFolder(async (tempFolder) => {
    const ratesFile = path.join(tempFolder, 'rates.jsonl')
    let done = 0
    const { counts, output } = await runJest({
      size: 'unit',
      match: `${match ?? ''}.*\\.simulation\\.test\\.ts$`,
      workers,
      timeoutMs,
      env: { SIMULATION_REPORT: ratesFile },
      tempFolder,
      signal,
      onProgress(files) {
        if (files > done) terminal.line(`  ${files} files done`)
        done = files
      },
    })
    const rates = readJsonLines<SimulatedRate>(ratesFile)
    const at = new Date()
    const earlier = {
      document: existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '',
      exists: (file: string) => existsSync(path.join(repositoryRoot, file)),
    }
    if (!signal.aborted) await writeReport(reportFile, ratesTable(rates, at, earlier), signal)
    terminal.line(ratesTable(rates, at))
    if (counts.failed > 0) terminal.line(output)
    terminal.line(formatTotal(counts))
    return counts.failed === 0
  })
}
