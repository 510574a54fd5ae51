import { parseArgs } from 'node:util'
import { runCommand } from '../readable-error.ts'
import { runStages } from '../run-stages.ts'
import { stdoutTerminal } from '../stdout-terminal.ts'
import { onStopSignals } from '../stop-signals.ts'

const terminal = stdoutTerminal()
const interrupted = new AbortController()
const interrupt = async () => interrupted.abort()
onStopSignals({ stop: interrupt, hurry: () => process.exit(1) })

await runCommand(async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { match: { type: 'string' } } })
  const match = values.match === undefined ? {} : { match: values.match }
  const ok = await runStages({ names: positionals, ...match, terminal, signal: interrupted.signal })
  if (!ok) process.exitCode = 1
})
