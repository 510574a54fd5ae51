import { parseArgs } from 'node:util'
import { runSimulations } from '../simulations/run-simulations.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'

const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const { values } = parseArgs({ options: { match: { type: 'string' } } })
  const match = values.match ?? null
  const ok = await runSimulations({ match, terminal: stdoutTerminal(), signal: interrupted.signal })
  if (!ok) process.exitCode = 1
})
