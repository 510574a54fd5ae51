import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { testTrainers } from '../trainers/test-trainers.ts'

const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const ok = await testTrainers({
    args: process.argv.slice(2),
    terminal: stdoutTerminal(),
    signal: interrupted.signal,
  })
  if (!ok) process.exitCode = 1
})
