import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { runStages } from '../test/run-stages.ts'

const terminal = stdoutTerminal()
const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const names = ['types', 'lint', 'boundaries', 'unit']
  const ok = await runStages({ names, terminal, signal: interrupted.signal })
  if (!ok) process.exitCode = 1
})
