import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, platform } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '../data-paths.ts'
import { formatTotal } from '../jest-summary.ts'
import { runJest } from '../run-jest.ts'
import { runProgram } from '../run-program.ts'
import type { Terminal } from '../terminal.ts'
import { faultRun } from '../test-stages.ts'
import { startTestStores } from '../test-stores.ts'
import { withTempFolder } from '../with-temp-folder.ts'
import type { FaultOptions } from './fault-options.ts'
import { type FaultNotes, faultReport } from './fault-report.ts'

export interface RunFaultsOptions extends FaultOptions {
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** As the catalogue numbers them. */
const everyFault = Array.from({ length: 34 }, (_, index) => `F${index + 1}`)
/** Where the report of a whole run goes. */
const reportFile = path.join(repositoryRoot, 'docs', 'faults.md')

/**
 * Does to a fleet what the catalogue of faults lists and tells how it went. A run over all faults writes `docs/faults.md`.
 *
 * @returns whether all went as promised
 */
export async function runFaults({ seed, only, terminal, signal }: RunFaultsOptions): Promise<boolean> {
  return withTempFolder(async (tempFolder) => {
    const startedAt = performance.now()
    const stores = await startTestStores({ folder: tempFolder, say: (text) => terminal.line(`▸ ${text}`) })
    const notesFile = path.join(tempFolder, 'faults.jsonl')
    try {
      const env = { ...stores.env, FAULT_SEED: String(seed), FAULT_REPORT: notesFile }
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
      const run = { seed, ids, at: new Date(), seconds, machine: machine(), notes: readNotes(notesFile), groups }
      if (only.length === 0 && !signal.aborted) await writeReport(faultReport(run), signal)
      else terminal.line(faultReport(run))
      if ((counts?.failed ?? 1) > 0) terminal.line(output)
      terminal.line(formatTotal(counts ?? { passed: 0, failed: 1 }))
      return counts !== null && counts.failed === 0
    } finally {
      await stores.stop()
    }
  })
}

/** Files are called `f19-what-happens.fault.test.ts`. */
function matching(only: readonly string[]): { readonly match?: string } {
  if (only.length === 0) return {}
  return { match: `/f(${only.map((id) => id.slice(1).padStart(2, '0')).join('|')})-` }
}

/** As the linter wants documents. */
async function writeReport(report: string, signal: AbortSignal): Promise<void> {
  writeFileSync(reportFile, report)
  const command = path.join(repositoryRoot, 'node_modules', '.bin', 'biome')
  await runProgram({ command, args: ['format', '--write', reportFile], signal, timeoutMs: 60_000 })
}

function readNotes(file: string): readonly FaultNotes[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as FaultNotes)
}

function machine(): string {
  return `${platform()}, ${availableParallelism()} cores, Node ${process.versions.node}`
}
