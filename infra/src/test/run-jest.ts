import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { runProgram } from '../processes/run-program.ts'
import {
  countTests,
  type FailedTest,
  failedTests,
  type GroupResult,
  groupResults,
  type TestCounts,
} from './jest-summary.ts'

/** The name of a project in jest.config.js, and the suffix of its files. */
export type TestSize =
  | 'unit'
  | 'int'
  | 'e2e'
  | 'long'
  | 'clients'
  | 'compatibility'
  | 'fault'
  | 'screenshots'
  | 'measure'
  | 'agent'
  | 'trainer'
  | 'small-model'

/** Chooses tests of a size; all of them when empty. */
export interface TestSelection {
  /** Only files whose path matches this pattern. */
  readonly match?: string
  /** Only test files that differ from this commit, or that import a file that does. */
  readonly changedSince?: string
}

export interface JestOptions extends TestSelection {
  readonly size: TestSize
  /** Absolute paths of the only files to run; all files of the selection when absent. */
  readonly files?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where Jest writes its counts. */
  readonly tempFolder: string
  readonly workers: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called with how many files are done. */
  readonly onProgress: (files: number) => void
}

export interface JestRun {
  readonly counts: TestCounts
  /** Output to show when the run failed. */
  readonly output: string
  readonly failures: readonly FailedTest[]
  /** The result of each outermost `describe`. */
  readonly groups: readonly GroupResult[]
}

export const jestProgram = path.join(repositoryRoot, 'node_modules/jest/bin/jest.js')

/** The flags of Jest that choose the tests. */
export function selectionFlags({ match, changedSince }: TestSelection): readonly string[] {
  return [
    ...(match === undefined ? [] : [`--testPathPatterns=${match}`]),
    ...(changedSince === undefined ? [] : [`--changedSince=${changedSince}`]),
    ...(match === undefined && changedSince === undefined ? [] : ['--passWithNoTests']),
  ]
}

/** Runs the tests of one size. */
export async function runJest(options: JestOptions): Promise<JestRun> {
  const { size, env, workers, timeoutMs, signal, onProgress, files: onlyFiles = [] } = options
  const resultFile = path.join(options.tempFolder, `jest-${size}.json`)
  let files = 0
  const { ok, output } = await runProgram({
    command: process.execPath,
    args: [
      jestProgram,
      ...['--selectProjects', size, '--json', `--outputFile=${resultFile}`, `--maxWorkers=${workers}`, '--ci'],
      ...(onlyFiles.length === 0 ? selectionFlags(options) : ['--runTestsByPath', ...onlyFiles]),
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
    failures: failedTests(json),
    groups: groupResults(json),
  }
}

function finalCounts(counts: TestCounts | null, ok: boolean): TestCounts {
  const { passed, failed } = counts ?? { passed: 0, failed: 1 }
  return { passed, failed: ok ? failed : Math.max(failed, 1) }
}

function withoutPasses(output: string): string {
  const lines = output.split('\n').filter((line) => !/^PASS /.test(line) && !line.startsWith('{"numFailedTestSuites"'))
  return lines.join('\n').trim()
}
