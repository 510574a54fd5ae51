import { withoutPypi } from '../processes/find-python.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { formatTotal } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { whyNoPython } from '../test/why-no-python.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'

const timeoutMs = 20 * 60_000

const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

/** Not a stage of `npm test`: the agents are 1.1 GB, and each release of them may behave in another way. */
await runCommand(() =>
  withTempFolder(async (tempFolder) => {
    const terminal = stdoutTerminal()
    const { signal } = interrupted
    const missing = await whyNoPython({ signal, tempFolder })
    const { counts, output } = await runJest({
      size: 'agent',
      workers: 1,
      timeoutMs,
      env: missing === null ? {} : { [withoutPypi]: missing },
      tempFolder,
      signal,
      onProgress: () => undefined,
    })
    if (counts.failed > 0) terminal.line(output)
    terminal.line(formatTotal(counts))
    if (missing !== null) terminal.line(`aider NOT CHECKED: ${missing}`)
    // No test at all means that the agents are missing.
    if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1
  }),
)
