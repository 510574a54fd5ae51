import { execFileSync, spawnSync } from 'node:child_process'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { jestProgram, selectionFlags } from '../test/run-jest.ts'
import { runStages } from '../test/run-stages.ts'
import { parseTestOptions, type TestOptions } from '../test/test-options.ts'

await runCommand(async () => {
  const options = parseTestOptions(process.argv.slice(2), changedSince())
  const ok = options.watch ? watch(options) : await run(options)
  if (!ok) process.exitCode = 1
})

async function run({ stages, ...selection }: TestOptions): Promise<boolean> {
  const interrupted = new AbortController()
  onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })
  return runStages({ names: stages, ...selection, terminal: stdoutTerminal(), signal: interrupted.signal })
}

/** Runs Jest's watch mode, which reads keys from the terminal. */
function watch({ stages, ...selection }: TestOptions): boolean {
  // In worker processes: modules stay loaded in a process, and a changed module must be loaded again.
  const flags = ['--watch', '--selectProjects', ...stages, '--maxWorkers=2', '--workerIdleMemoryLimit=1GB']
  const args = [jestProgram, ...flags, ...selectionFlags(selection)]
  return spawnSync(process.execPath, args, { cwd: repositoryRoot, stdio: 'inherit' }).status === 0
}

/** The commit to compare with: on a branch where it left main, on main the last commit. */
function changedSince(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' }).trim()
  return git('branch', '--show-current') === 'main' ? 'HEAD' : git('merge-base', 'main', 'HEAD')
}
