import { existsSync, readFileSync, rmSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import path from 'node:path'
import { repositoryRoot } from './data-paths.ts'
import { countTests, failedFiles, type GroupResult, groupResults, type TestCounts } from './jest-summary.ts'
import { runProgram } from './run-program.ts'

/** A size of test: the project of jest.config.js and the suffix of its files. */
export type TestSize = 'unit' | 'int' | 'e2e' | 'fault'

export interface JestOptions {
  readonly size: TestSize
  readonly env: Readonly<Record<string, string>>
  /** Where Jest writes its counts. */
  readonly tempFolder: string
  /** Only files whose path matches this pattern. */
  readonly match?: string
  /** Only these files, whatever matches. */
  readonly files?: readonly string[]
  readonly workers: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Hears how many files are done. */
  readonly onProgress: (files: number) => void
}

export interface JestRun {
  /** Null = there is no such test yet. */
  readonly counts: TestCounts | null
  /** What to show when it failed. */
  readonly output: string
  /** Absolute paths. */
  readonly failedFiles: readonly string[]
  /** What each outermost `describe` came to. */
  readonly groups: readonly GroupResult[]
}

/** Runs the tests of one size. */
export async function runJest(options: JestOptions): Promise<JestRun> {
  const { size, env, match, files: only, workers, timeoutMs, signal, onProgress } = options
  if (!(await hasTests(size))) return { counts: null, output: '', failedFiles: [], groups: [] }
  const resultFile = path.join(options.tempFolder, `jest-${size}.json`)
  let files = 0
  const { ok, output } = await runProgram({
    command: process.execPath,
    args: [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      path.join(repositoryRoot, 'node_modules/jest/bin/jest.js'),
      ...['--selectProjects', size, '--json', `--outputFile=${resultFile}`, `--maxWorkers=${workers}`, '--ci'],
      ...(only === undefined ? [] : ['--runTestsByPath', ...only]),
      ...(match === undefined || only !== undefined ? [] : [`--testPathPatterns=${match}`, '--passWithNoTests']),
    ],
    env: { ...env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
    signal,
    timeoutMs,
    onOutput(text) {
      files += text.match(/^(PASS|FAIL) /gm)?.length ?? 0
      onProgress(files)
    },
  })
  const json = existsSync(resultFile) ? readFileSync(resultFile, 'utf8') : ''
  rmSync(resultFile, { force: true })
  return {
    counts: finalCounts(countTests(json), ok),
    output: withoutPasses(output),
    failedFiles: failedFiles(json),
    groups: groupResults(json),
  }
}

function finalCounts(counts: TestCounts | null, ok: boolean): TestCounts {
  const { passed, failed } = counts ?? { passed: 0, failed: 1 }
  return { passed, failed: ok ? failed : Math.max(failed, 1) }
}

async function hasTests(size: TestSize): Promise<boolean> {
  const suffix = size === 'unit' ? '' : `.${size}`
  const pattern = `{packages,services,infra,test-e2e,bench}/**/*${suffix}.test.ts`
  const exclude = (name: string) => name.includes('node_modules')
  for await (const _file of glob(pattern, { cwd: repositoryRoot, exclude })) return true
  return false
}

function withoutPasses(output: string): string {
  const lines = output.split('\n').filter((line) => !/^PASS /.test(line) && !line.startsWith('{"numFailedTestSuites"'))
  return lines.join('\n').trim()
}
