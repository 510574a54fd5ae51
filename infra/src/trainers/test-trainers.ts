import path from 'node:path'
import { runProgram } from '../processes/run-program.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal, type TestCounts } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { whyNoPython } from '../test/why-no-python.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { installTrainers, trainersFolder as project, quietThreads } from './install-trainers.ts'
import { countsOf } from './pytest-counts.ts'

export interface TestTrainersOptions {
  /** Arguments of pytest, such as `-k resumed`. */
  readonly args: readonly string[]
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

const lintTimeoutMs = 60_000
const testTimeoutMs = 20 * 60_000
const showProgressMs = 20_000

/**
 * Installs the packages of `trainers/uv.lock`, lints the Python code and runs its tests, then those of a fleet that trains with
 * it. With arguments of pytest only those tests. Where no Python can be had, it says so and checks nothing.
 *
 * @returns whether nothing failed
 */
export async function testTrainers(options: TestTrainersOptions): Promise<boolean> {
  const { terminal } = options
  return withTempFolder(async (tempFolder) => {
    const missing = await whyNoPython({ signal: options.signal, tempFolder })
    if (missing !== null) {
      terminal.line(`trainers/ NOT CHECKED: ${missing}`)
      return true
    }
    const python = await installTrainers(terminal)
    const linted = await lint(python, options)
    const counts = await runTests(python, tempFolder, options)
    const inFleet = options.args.length > 0 ? none : await runInFleet(python, tempFolder, options)
    const all = { passed: counts.passed + inFleet.passed, failed: counts.failed + inFleet.failed }
    terminal.line(formatTotal(all))
    return linted && all.failed === 0 && counts.passed > 0
  })
}

async function lint(bin: string, { terminal, signal }: TestTrainersOptions): Promise<boolean> {
  const command = path.join(bin, 'ruff')
  return terminal.step('ruff', async () => {
    for (const args of [['check'], ['format', '--check']]) {
      const { ok, output } = await runProgram({
        command,
        args: [...args, '--no-cache', project],
        signal,
        timeoutMs: lintTimeoutMs,
      })
      if (!ok) {
        terminal.line(output)
        return false
      }
    }
    return true
  })
}

async function runTests(bin: string, tempFolder: string, options: TestTrainersOptions): Promise<TestCounts> {
  const { terminal, signal, args } = options
  let done = 0
  const progress = setInterval(() => terminal.line(`  pytest still running, ${done} tests`), showProgressMs)
  const run = () =>
    runProgram({
      command: path.join(bin, 'python'),
      args: [
        '-m',
        'pytest',
        '-p',
        'no:cacheprovider',
        '--rootdir',
        project,
        '--basetemp',
        path.join(tempFolder, 'pytest'),
        '-vv',
        ...args,
        project,
      ],
      env: environment,
      signal,
      timeoutMs: testTimeoutMs,
      onOutput(text) {
        done += text.match(/ (PASSED|FAILED|ERROR) /g)?.length ?? 0
      },
    })
  try {
    const { ok, output } = await terminal.step('pytest', run)
    if (!ok) terminal.line(output)
    return countsOf(output, ok)
  } finally {
    clearInterval(progress)
  }
}

const none: TestCounts = { passed: 0, failed: 0 }

/** Jobs of a whole fleet that are trained by the Python code. */
async function runInFleet(bin: string, tempFolder: string, options: TestTrainersOptions): Promise<TestCounts> {
  const { terminal, signal } = options
  const run = () =>
    runJest({
      size: 'trainer',
      env: { RATCHET_TRAINERS_PYTHON: path.join(bin, 'python') },
      tempFolder,
      workers: 1,
      timeoutMs: testTimeoutMs,
      signal,
      onProgress: () => undefined,
    })
  const { counts, output } = await terminal.step('fleet', run)
  if (counts.failed > 0) terminal.line(output)
  return counts
}

const environment = {
  ...quietThreads,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUNBUFFERED: '1',
  RATCHET_NODE: process.execPath,
}
