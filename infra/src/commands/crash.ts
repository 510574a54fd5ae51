import { spawn } from 'node:child_process'
import { crashHarnessCommand } from '../crash-harness.ts'
import { repositoryRoot } from '../data-paths.ts'
import { runCommand } from '../readable-error.ts'
import { onStopSignals } from '../stop-signals.ts'

await runCommand(async () => {
  const { command, args } = crashHarnessCommand(process.argv.slice(2))
  const child = spawn(command, args, { cwd: repositoryRoot, stdio: 'inherit' })
  // A terminal's Ctrl-C reaches the harness by itself; a signal from elsewhere is passed on.
  onStopSignals({ stop: async () => void child.kill('SIGTERM'), hurry: () => child.kill('SIGKILL') })
  child.on('close', (code) => {
    process.exitCode = code ?? 1
  })
})
