import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { testSmallModel } from '../trainers/test-small-model.ts'
import { testTrainers } from '../trainers/test-trainers.ts'

const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

/** Runs the tests of a real small model instead of all others. */
const smallModelFlag = '--small-model'

await runCommand(async () => {
  const given = process.argv.slice(2)
  const args = given.filter((each) => each !== smallModelFlag)
  const options = { terminal: stdoutTerminal(), signal: interrupted.signal }
  const ok = given.includes(smallModelFlag)
    ? await testSmallModel({ ...options, match: args })
    : await testTrainers({ ...options, args })
  if (!ok) process.exitCode = 1
})
