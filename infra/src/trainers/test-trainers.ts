import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { isInstalled, removeOthers } from '../processes/install-in-folder.ts'
import { installPythonProject } from '../processes/install-python.ts'
import { runProgram } from '../processes/run-program.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatTotal, type TestCounts } from '../test/jest-summary.ts'
import { runJest } from '../test/run-jest.ts'
import { whyNoPython } from '../test/why-no-python.ts'
import { withTempFolder } from '../test/with-temp-folder.ts'
import { countsOf } from './pytest-counts.ts'

export interface TestTrainersOptions {
  /** Arguments of pytest, such as `-k resumed`. */
  readonly args: readonly string[]
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

const project = path.join(repositoryRoot, 'trainers')
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
    const python = await install(terminal)
    const linted = await lint(python, options)
    const counts = await runTests(python, tempFolder, options)
    const inFleet = options.args.length > 0 ? none : await runInFleet(python, tempFolder, options)
    const all = { passed: counts.passed + inFleet.passed, failed: counts.failed + inFleet.failed }
    terminal.line(formatTotal(all))
    return linted && all.failed === 0 && counts.passed > 0
  })
}

/** @returns the folder with the programs of the environment */
async function install(terminal: Terminal): Promise<string> {
  const locked = ['pyproject.toml', 'uv.lock'].map((file) => readFileSync(path.join(project, file), 'utf8'))
  const name = `trainers-${createHash('sha256').update(locked.join('\n')).digest('hex').slice(0, 12)}`
  if (!isInstalled(name)) {
    terminal.line(
      'PyTorch and the packages around it are downloaded from PyPI into node_modules/.cache: about 5 GB, once.',
    )
  }
  removeOthers('trainers-', name)
  const installed = await terminal.step('python packages', () => installPythonProject(name, project))
  if (installed.kind === 'failed')
    throw new ReadableError(`The packages of trainers/ could not be installed: ${installed.reason}`)
  return path.join(installed.folder, 'venv', 'bin')
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

/** One thread that does not spin: with more, a step takes ten times as long on a busy machine. */
const environment = {
  OMP_NUM_THREADS: '1',
  OMP_WAIT_POLICY: 'PASSIVE',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUNBUFFERED: '1',
  RATCHET_NODE: process.execPath,
}
