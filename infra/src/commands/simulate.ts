import { parseArgs } from 'node:util'
import { runSimulations } from '../simulations/run-simulations.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'

const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const options = { match: { type: 'string' }, workers: { type: 'string', default: '2' } } as const
  const { values } = parseArgs({ options })
  const match = values.match ?? null
  const workers = Number(values.workers)
  if (!Number.isInteger(workers) || workers < 1) throw new Error('--workers must be a whole number of at least 1')
  const ok = await runSimulations({ match, workers, terminal: stdoutTerminal(), signal: interrupted.signal })
  if (!ok) process.exitCode = 1
})
