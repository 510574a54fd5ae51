import path from 'node:path'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { whyNoPython } from '../test/why-no-python.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { installSmallModel } from './install-small-model.ts'
import { installTrainers } from './install-trainers.ts'

const timeoutMs = 3 * 60 * 60_000
const showProgressMs = 60_000

interface SmallModelOptions {
  /** Only files whose path matches one of these. */
  readonly match: readonly string[]
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/**
 * Runs the stories of a whole fleet that trains and serves a real small model in Python. They take many minutes. Where no Python
 * can be had, it says so and checks nothing.
 *
 * @returns whether nothing failed
 */
export async function testSmallModel({ match, terminal, signal }: SmallModelOptions): Promise<boolean> {
  return withTempFolder(async (tempFolder) => {
    const missing = await whyNoPython({ signal, tempFolder })
    if (missing !== null) {
      terminal.line(`The small model was NOT TRIED: ${missing}`)
      return true
    }
    const python = await installTrainers(terminal)
    const model = await installSmallModel(terminal)
    const progress = setInterval(() => terminal.line('  the stories of the small model go on'), showProgressMs)
    const run = () =>
      runJest({
        size: 'small-model',
        ...(match.length === 0 ? {} : { match: match.join('|') }),
        env: { RATCHET_TRAINERS_PYTHON: path.join(python, 'python'), RATCHET_SMALL_MODEL: model },
        tempFolder,
        workers: 1,
        timeoutMs,
        signal,
        onProgress: () => undefined,
      })
    try {
      const { counts, output } = await terminal.step('small model', run)
      terminal.line(output)
      terminal.line(formatTotal(counts))
      return counts.failed === 0 && counts.passed > 0
    } finally {
      clearInterval(progress)
    }
  })
}
