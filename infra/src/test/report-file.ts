import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { runProgram } from '../processes/run-program.ts'

/** What tests have appended to a file, one JSON value a line; none when the file does not exist. */
export function readJsonLines<Line>(file: string): readonly Line[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Line)
}

/** Writes a report in the form that the linter requires of documents. */
export async function writeReport(file: string, report: string, signal: AbortSignal): Promise<void> {
  writeFileSync(file, report)
  const command = path.join(repositoryRoot, 'node_modules', '.bin', 'biome')
  await runProgram({ command, args: ['format', '--write', file], signal, timeoutMs: 60_000 })
}
