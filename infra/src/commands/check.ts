import { runCommand } from '../readable-error.ts'
import { runStages } from '../run-stages.ts'
import { stdoutTerminal } from '../stdout-terminal.ts'
import { onStopSignals } from '../stop-signals.ts'

const terminal = stdoutTerminal()
const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const names = ['types', 'lint', 'boundaries', 'unit']
  const ok = await runStages({ names, terminal, signal: interrupted.signal })
  if (!ok) process.exitCode = 1
})
