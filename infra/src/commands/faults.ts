import { parseFaultOptions } from '../faults/fault-options.ts'
import { runFaults } from '../faults/run-faults.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'

const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const options = parseFaultOptions(process.argv.slice(2))
  const ok = await runFaults({ ...options, terminal: stdoutTerminal(), signal: interrupted.signal })
  if (!ok) process.exitCode = 1
})
