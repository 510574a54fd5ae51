import path from 'node:path'
import { takeScreenshots } from '../screenshots/take-screenshots.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'

const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })

await runCommand(async () => {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new ReadableError('Name a folder for the pictures: npm run screenshots -- FOLDER')
  const terminal = stdoutTerminal()
  const ok = await takeScreenshots({ folder: path.resolve(folder), terminal, signal: interrupted.signal })
  if (!ok) process.exitCode = 1
})
