import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { runProgram } from '../processes/run-program.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { ratesTable, type SimulatedRate } from './rates-table.ts'

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
      match: `${match ?? ''}[^/]*\\.simulation\\.test\\.ts$`,
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
    const report = ratesTable(readRates(ratesFile), new Date())
    if (match === null && !signal.aborted) await writeReport(report, signal)
    terminal.line(report)
    if (counts.failed > 0) terminal.line(output)
    terminal.line(formatTotal(counts))
    return counts.failed === 0
  })
}

function readRates(file: string): readonly SimulatedRate[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as SimulatedRate)
}

/** Writes the report in the form that the linter requires of documents. */
async function writeReport(report: string, signal: AbortSignal): Promise<void> {
  writeFileSync(reportFile, report)
  const command = path.join(repositoryRoot, 'node_modules', '.bin', 'biome')
  await runProgram({ command, args: ['format', '--write', reportFile], signal, timeoutMs: 60_000 })
}
