import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'

export interface ScreenshotOptions {
  /** Folder for the pictures. */
  readonly folder: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

const timeoutMs = 15 * 60_000
const readmeFolder = path.join(repositoryRoot, 'docs', 'screenshots')

/**
 * Starts a fleet, fills a workspace, and takes pictures of its pages in both themes and on a phone. Those that the README
 * shows are also written to `docs/screenshots`.
 *
 * @returns whether all were taken
 */
export async function takeScreenshots({ folder, terminal, signal }: ScreenshotOptions): Promise<boolean> {
  return withTempFolder(async (tempFolder) => {
    const { counts, output } = await runJest({
      size: 'screenshots',
      workers: 1,
      timeoutMs,
      env: { SCREENSHOTS: folder, README_SCREENSHOTS: readmeFolder },
      tempFolder,
      signal,
      onProgress: () => undefined,
    })
    if (counts.failed > 0) terminal.line(output)
    else terminal.line(`The pictures are in ${folder}, those of the README also in ${readmeFolder}.`)
    terminal.line(formatTotal(counts))
    return counts.failed === 0
  })
}
