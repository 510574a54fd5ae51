import path from 'node:path'
import { findChromium } from '../browser/find-chromium.ts'
import { checkOpenApiFile } from '../checks/print-openapi.ts'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { findRenderer } from '../k8s/render.ts'
import { withoutPypi } from '../processes/find-python.ts'
import { runProgram } from '../processes/run-program.ts'
import { findSipPrograms, withoutSipPrograms } from '../sip-programs/find-sip-programs.ts'
import { crashHarnessCommand } from './crash-harness.ts'
import { provideStores } from './global-setup.ts'
import type { FailedTest, TestCounts } from './jest-summary.ts'
import { runJest, type TestSelection, type TestSize } from './run-jest.ts'
import { trySecondTime } from './second-try.ts'
import { whyNoPython } from './why-no-python.ts'

export interface StageContext extends TestSelection {
  readonly signal: AbortSignal
  readonly tempFolder: string
  /** Called with a text to show while the stage runs. */
  readonly onProgress: (text: string) => void
}

export interface StageResult {
  readonly counts: TestCounts
  /** Shown after the stage's name. */
  readonly summary: string
  /** The failures, shown unless empty. */
  readonly output: string
  /** The failed tests, when the stage knows them. */
  readonly failures?: readonly FailedTest[]
  /** Tests that passed only the second time. */
  readonly unstable?: readonly FailedTest[]
}

export interface Stage {
  readonly name: string
  /** Runs only when it is named. */
  readonly isOnRequest?: boolean
  readonly run: (context: StageContext) => Promise<StageResult>
}

/** What the checks remember of files that have not changed since. */
const cacheFolder = path.join(repositoryRoot, 'node_modules/.cache')

/** The second run takes a fifth of the time. */
const typeCheckOf = (folder: string, cache: string) => [
  ...['--noEmit', '-p', folder, '--incremental', '--tsBuildInfoFile', path.join(cacheFolder, cache)],
]

/** Arguments of dependency-cruiser; the rules are in .dependency-cruiser.js. */
const importRules = [
  ...['packages', 'services', 'infra', 'test-e2e', 'bench', '--output-type', 'err'],
  ...['--cache', path.join(cacheFolder, 'dependency-cruiser'), '--cache-strategy', 'content'],
]
const knipFlags = ['--no-progress', '--no-config-hints', '--cache', '--cache-location', path.join(cacheFolder, 'knip')]

const minute = 60_000
const crashSeconds = 30
/** Faults that `npm test` runs; `npm run test:faults` runs all. */
const shortFaults = '/f(01|15|19|27)-'

/** One at a time: each fault starts a whole fleet, and some measure time. */
export const faultRun = { size: 'fault', workers: 1, timeoutMs: 90 * minute } as const

/** In the order of `npm test`: the quickest first. */
export const stages: readonly Stage[] = [
  { name: 'types', run: types },
  { name: 'lint', run: lint },
  { name: 'boundaries', run: boundaries },
  { name: 'unit', run: (context) => jest(context, { size: 'unit', workers: 2, timeoutMs: 15 * minute }) },
  { name: 'int', run: int },
  // Three at a time on two cores, because these tests wait as much as they compute. Files of one worker share a fleet.
  { name: 'e2e', run: e2e },
  {
    name: 'long',
    isOnRequest: true,
    run: (context) => jest(context, { size: 'long', workers: 1, timeoutMs: 90 * minute }),
  },
  { name: 'clients', run: (context) => software(context, 'clients') },
  { name: 'agents', run: (context) => software(context, 'agent') },
  { name: 'faults', run: (context) => jest({ match: shortFaults, ...context }, faultRun) },
  { name: 'crash', run: crash },
]

/** Adds a note when the manifests could not be rendered, because Jest only counts skipped tests. */
async function int(context: StageContext): Promise<StageResult> {
  const result = await jest(context, { size: 'int', workers: 3, timeoutMs: 25 * minute })
  const summary = `${result.summary}; k8s/ NOT CHECKED: neither kubectl nor kustomize is on this machine`
  return findRenderer() === null ? { ...result, summary } : result
}

/** The pages of the dashboard are checked by themselves: they run in a browser and know other globals. */
async function types(context: StageContext): Promise<StageResult> {
  const processes = await checkWith(context, 'tsc', typeCheckOf('.', 'tsc.json'))
  if (processes.counts.failed > 0) return processes
  return checkWith(context, 'tsc', typeCheckOf('services/dashboard/web', 'tsc-web.json'))
}

/** Finds or installs the browser first, because an installation takes longer than a test may. */
async function e2e(context: StageContext): Promise<StageResult> {
  await findChromium({ env: process.env, say: context.onProgress })
  return jest(context, { size: 'e2e', workers: 3, timeoutMs: 60 * minute })
}

/**
 * Software of others, from npm and, where they can be had, from PyPI and from Debian. One at a time, because it needs a
 * processor.
 */
async function software(context: StageContext, size: 'clients' | 'agent'): Promise<StageResult> {
  const missing = await whyNoPython(context)
  const programs = size === 'clients' ? await findSipPrograms() : null
  const missingSip = programs?.kind === 'missing' ? programs.reason : null
  const env = {
    ...(missing === null ? {} : { [withoutPypi]: missing }),
    ...(missingSip === null ? {} : { [withoutSipPrograms]: missingSip }),
  }
  const result = await jest(context, { size, workers: 1, timeoutMs: 30 * minute, env })
  const notes = [
    ...(missing === null ? [] : [`programs in Python NOT CHECKED: ${missing}`]),
    ...(missingSip === null ? [] : [`calls by SIP NOT CHECKED: ${missingSip}`]),
  ]
  return { ...result, summary: [result.summary, ...notes].join('; ') }
}

async function lint(context: StageContext): Promise<StageResult> {
  const biome = await checkWith(context, 'biome', ['check', '--colors=off'])
  return biome.counts.failed > 0 ? biome : checked(checkOpenApiFile() ?? '')
}

/** Checks the import rules, and that no file, export or dependency is unused. */
async function boundaries(context: StageContext): Promise<StageResult> {
  const imports = await checkWith(context, 'depcruise', importRules)
  return imports.counts.failed > 0 ? imports : checkWith(context, 'knip', knipFlags)
}

async function checkWith({ signal }: StageContext, tool: string, args: readonly string[]): Promise<StageResult> {
  const command = path.join(repositoryRoot, 'node_modules', '.bin', tool)
  const { ok, output } = await runProgram({ command, args, signal, timeoutMs: 3 * minute })
  return checked(ok ? '' : output)
}

/** A check that is no Jest run counts as one failure or as nothing. */
function checked(problems: string): StageResult {
  return { counts: { passed: 0, failed: problems === '' ? 0 : 1 }, summary: '', output: problems }
}

async function jest(
  context: StageContext,
  options: { size: TestSize; workers: number; timeoutMs: number; env?: Readonly<Record<string, string>> },
): Promise<StageResult> {
  // Started before Jest would start them, so that all stages share them.
  if (options.size !== 'unit') await provideStores()
  const onProgress = (files: number) => context.onProgress(`${files} files`)
  const settings = { env: {}, ...context, ...options, onProgress }
  const first = await runJest(settings)
  // A unit test waits for nothing, so time is no reason for its failure.
  const again = (files: readonly string[]) => runJest({ ...settings, files, workers: 1, timeoutMs: 12 * minute })
  const run = options.size === 'unit' ? { ...first, unstable: [] } : await trySecondTime(first, again)
  const { counts, output, failures, unstable } = run
  const passed = `${counts.passed} passed${unstable.length === 0 ? '' : `, ${unstable.length} only the second time`}`
  if (counts.failed === 0) return { counts, summary: passed, output: '', unstable }
  return { counts, summary: `${passed}, ${counts.failed} failed`, output, failures, unstable }
}

/** Runs the harness on the real ledger; `npm run test:crash` also checks that it detects each removed safeguard. */
async function crash({ signal }: StageContext): Promise<StageResult> {
  const harness = crashHarnessCommand(['--seconds', String(crashSeconds), '--no-mutations'])
  const { ok, output } = await runProgram({ ...harness, signal, timeoutMs: 4 * minute })
  return { ...checked(ok ? '' : output), summary: output.trim().split('\n').at(-1) ?? '' }
}
