import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { budgetTable } from './budget-table.ts'

interface MeasureOptions {
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

const timeoutMs = 15 * 60_000
const Figures = z.array(z.object({ name: z.string(), unit: z.string(), must: z.number(), measured: z.number() }))

/**
 * Starts a fleet, opens the pages of its dashboard in a browser, and prints what they cost against their budgets.
 *
 * @returns whether everything was measured and is within its budget
 */
export async function measureDashboard({ terminal, signal }: MeasureOptions): Promise<boolean> {
  return withTempFolder(async (tempFolder) => {
    const file = path.join(tempFolder, 'figures.json')
    const { counts, output } = await runJest({
      size: 'measure',
      workers: 1,
      timeoutMs,
      env: { MEASURE_FILE: file },
      tempFolder,
      signal,
      onProgress: () => undefined,
    })
    const figures = existsSync(file) ? Figures.parse(JSON.parse(readFileSync(file, 'utf8'))) : []
    if (counts.failed > 0) terminal.line(output)
    for (const line of budgetTable(figures)) terminal.line(line)
    terminal.line(formatTotal(counts))
    return counts.failed === 0 && figures.every(({ must, measured }) => measured <= must)
  })
}
