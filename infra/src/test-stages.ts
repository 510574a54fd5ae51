import path from 'node:path'
import { crashHarnessCommand } from './crash-harness.ts'
import { repositoryRoot } from './data-paths.ts'
import { afterSecondLook, type TestCounts } from './jest-summary.ts'
import { findRenderer } from './k8s/render.ts'
import { checkOpenApiFile } from './print-openapi.ts'
import { type JestOptions, type JestRun, runJest, type TestSize } from './run-jest.ts'
import { runProgram } from './run-program.ts'
import type { TestStores } from './test-stores.ts'

export interface StageContext {
  readonly signal: AbortSignal
  readonly tempFolder: string
  /** Runs only test files whose path matches. */
  readonly match?: string
  /** The stores of this run, started by the first stage that asks. */
  readonly stores: () => Promise<TestStores>
  /** Shown while a stage runs. */
  readonly onProgress: (text: string) => void
}

export interface StageResult {
  readonly counts: TestCounts
  /** Shown behind the stage's name. */
  readonly summary: string
  /** Shown unless empty: what failed, also what did so only once. */
  readonly output: string
}

export interface Stage {
  readonly name: string
  readonly run: (context: StageContext) => Promise<StageResult>
}

/** Who may import whom: the rules are in .dependency-cruiser.js. */
const importRules = ['packages', 'services', 'infra', 'test-e2e', 'bench', '--output-type', 'err']

const minute = 60_000
const crashSeconds = 60
/** Faults that `npm test` looks at; `npm run test:faults` looks at all. */
const shortFaults = '/f(01|15|19|27)-'
/** With more files than these failing, it is not the machine. */
const maxSecondLooks = 3

/** As the end-to-end tests: one at a time. */
export const faultRun = { size: 'fault', workers: 1, timeoutMs: 90 * minute } as const

/** In the order of `npm test`: what fails fastest comes first. */
export const stages: readonly Stage[] = [
  { name: 'types', run: (context) => checkWith(context, 'tsc', ['--noEmit', '-p', '.']) },
  { name: 'lint', run: lint },
  { name: 'boundaries', run: (context) => checkWith(context, 'depcruise', importRules) },
  { name: 'unit', run: unit },
  { name: 'int', run: (context) => jest(context, { size: 'int', workers: 2, timeoutMs: 10 * minute }) },
  // One at a time: these measure time, and each runs a fleet of its own.
  { name: 'e2e', run: (context) => jest(context, { size: 'e2e', workers: 1, timeoutMs: 45 * minute }) },
  { name: 'faults', run: (context) => jest({ match: shortFaults, ...context }, faultRun) },
  { name: 'crash', run: crash },
]

/** Says it where nobody overlooks it when the manifests could not be rendered: Jest only counts what it skips. */
async function unit(context: StageContext): Promise<StageResult> {
  const result = await jest(context, { size: 'unit', workers: 2, timeoutMs: 8 * minute })
  const summary = `${result.summary}; k8s/ NOT CHECKED: neither kubectl nor kustomize is on this machine`
  return findRenderer() === null ? { ...result, summary } : result
}

async function lint(context: StageContext): Promise<StageResult> {
  const biome = await checkWith(context, 'biome', ['check', '--colors=off'])
  return biome.counts.failed > 0 ? biome : checked(checkOpenApiFile() ?? '')
}

async function checkWith({ signal }: StageContext, tool: string, args: readonly string[]): Promise<StageResult> {
  const command = path.join(repositoryRoot, 'node_modules', '.bin', tool)
  const { ok, output } = await runProgram({ command, args, signal, timeoutMs: 3 * minute })
  return checked(ok ? '' : output)
}

/** A check without tests of its own adds nothing to what passed, and one to what failed. */
function checked(problems: string): StageResult {
  return { counts: { passed: 0, failed: problems === '' ? 0 : 1 }, summary: '', output: problems }
}

async function jest(
  context: StageContext,
  options: { size: TestSize; workers: number; timeoutMs: number },
): Promise<StageResult> {
  const { signal, tempFolder, match, onProgress } = context
  const env = options.size === 'unit' ? {} : (await context.stores()).env
  const run: JestOptions = {
    ...options,
    ...(match === undefined ? {} : { match }),
    env,
    signal,
    tempFolder,
    onProgress: (files) => onProgress(`${files} files`),
  }
  const first = await runJest(run)
  if (first.counts === null) return { counts: { passed: 0, failed: 0 }, summary: 'no such tests yet', output: '' }
  if (first.counts.failed === 0) return { counts: first.counts, summary: `${first.counts.passed} passed`, output: '' }
  const isWorthIt = first.failedFiles.length <= maxSecondLooks && !signal.aborted
  return isWorthIt ? lookAgain(run, first, first.counts) : failedRun(first.counts, first.output)
}

function failedRun(counts: TestCounts, output: string): StageResult {
  return { counts, summary: `${counts.passed} passed, ${counts.failed} failed`, output }
}

/**
 * A test of times, or of whole processes, that fails on a machine that stood still is run once more, alone, and what it
 * said the first time is shown in any case: a test that needs its second look is a fault of the test, or worse.
 */
async function lookAgain(run: JestOptions, first: JestRun, firstCounts: TestCounts): Promise<StageResult> {
  const { failedFiles: files } = first
  if (files.length === 0) return failedRun(firstCounts, first.output)
  const second = await runJest({ ...run, files, workers: 1 })
  const counts = afterSecondLook(firstCounts, second.counts ?? firstCounts)
  const output = `${first.output}\n\nThe files that failed, once more:\n${second.output}`
  if (counts.failed > 0) return failedRun(counts, output)
  return { counts, summary: `${counts.passed} passed, ${firstCounts.failed} of them only when looked at again`, output }
}

/** The clean run only; `npm run test:crash` also checks that the harness misses each guard that is taken out. */
async function crash({ signal }: StageContext): Promise<StageResult> {
  const harness = crashHarnessCommand(['--seconds', String(crashSeconds), '--no-mutations'])
  const { ok, output } = await runProgram({ ...harness, signal, timeoutMs: 4 * minute })
  return { ...checked(ok ? '' : output), summary: output.trim().split('\n').at(-1) ?? '' }
}
