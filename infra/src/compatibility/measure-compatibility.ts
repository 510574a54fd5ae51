import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'

const timeoutMs = 60 * 60_000
const file = path.join(repositoryRoot, 'docs', 'compatibility.md')

/**
 * Installs the newest version of each client, runs its cases against a fleet, and writes the table of
 * `docs/compatibility.md`.
 *
 * @returns whether the table was written; a case that fails is a row of it
 */
export async function measureCompatibility(options: { terminal: Terminal; signal: AbortSignal }): Promise<boolean> {
  const { terminal, signal } = options
  return withTempFolder(async (tempFolder) => {
    const run = { size: 'compatibility', workers: 1, timeoutMs, tempFolder, signal } as const
    const env = { COMPATIBILITY_FILE: file }
    const { counts, output } = await runJest({ ...run, env, onProgress: () => undefined })
    terminal.line(counts.failed > 0 ? output : `The table is in ${path.relative(process.cwd(), file)}.`)
    terminal.line(formatTotal(counts))
    return counts.failed === 0
  })
}
