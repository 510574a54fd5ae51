import { spawn } from 'node:child_process'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { crashHarnessCommand } from '../test/crash-harness.ts'

await runCommand(async () => {
  const { command, args } = crashHarnessCommand(process.argv.slice(2))
  const child = spawn(command, args, { cwd: repositoryRoot, stdio: 'inherit' })
  // Ctrl-C in a terminal reaches the harness directly; a signal from another process must be passed on.
  onStopSignals({ stop: async () => void child.kill('SIGTERM'), hurry: () => child.kill('SIGKILL') })
  child.on('close', (code) => {
    process.exitCode = code ?? 1
  })
})
