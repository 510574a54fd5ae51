import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { removeStores } from './global-setup.ts'
import { addCounts, type FailedTest, formatTotal } from './jest-summary.ts'
import type { TestSelection } from './run-jest.ts'
import { type Stage, type StageContext, type StageResult, stages } from './stages.ts'
import { withTempFolder } from './with-temp-folder.ts'

export interface RunStagesOptions extends TestSelection {
  /** Names of stages, run in their usual order; none = all but those that run on request. */
  readonly names: readonly string[]
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** Interval at which a long stage prints that it is still running, milliseconds. */
const heartbeatMs = 20_000
/** Characters of a failure in the list at the end. */
const maxMessage = 240

/**
 * Runs all stages one after the other, also after a failure, and prints the totals.
 *
 * @returns whether nothing failed
 * @throws ReadableError for an unknown stage, or when it was interrupted
 */
export async function runStages(options: RunStagesOptions): Promise<boolean> {
  const chosen = chooseStages(options.names)
  return withTempFolder((tempFolder) => runChosen(chosen, tempFolder, options))
}

async function runChosen(chosen: readonly Stage[], tempFolder: string, options: RunStagesOptions): Promise<boolean> {
  const { terminal, signal } = options
  const context = { ...options, tempFolder }
  const results: (StageResult & { name: string })[] = []
  try {
    for (const stage of chosen) {
      results.push({ name: stage.name, ...(await runStage(stage, context, terminal)) })
      if (signal.aborted) throw new ReadableError(`interrupted in ${stage.name}`)
    }
  } finally {
    await removeStores()
  }
  return report(results, terminal)
}

function report(results: readonly (StageResult & { name: string })[], terminal: Terminal): boolean {
  const failed = results.filter(({ counts }) => counts.failed > 0).map(({ name }) => name)
  if (failed.length > 0) terminal.line(`✗ failed: ${failed.join(', ')}`)
  for (const { failures = [] } of results) for (const failure of failures) terminal.line(formatFailure(failure))
  const unstable = results.flatMap(({ unstable: some = [] }) => some)
  if (unstable.length > 0) terminal.line('! failed at first, and passed when their files ran again alone:')
  for (const failure of unstable) terminal.line(formatFailure(failure))
  terminal.line(formatTotal(results.map(({ counts }) => counts).reduce(addCounts, { passed: 0, failed: 0 })))
  return failed.length === 0
}

/** Two lines a failure. The whole output is above, where a service that keeps the end of a log may cut it off. */
function formatFailure({ file, name, message }: FailedTest): string {
  const plain = stripVTControlCharacters(message).replace(/\s+/g, ' ').trim().slice(0, maxMessage)
  return `  ${path.relative(repositoryRoot, file)}${name === '' ? '' : ` › ${name}`}\n    ${plain}`
}

async function runStage(
  stage: Stage,
  context: Omit<StageContext, 'onProgress'>,
  terminal: Terminal,
): Promise<StageResult> {
  let progress = ''
  const onProgress = (text: string) => {
    progress = text
  }
  const heartbeat = setInterval(() => {
    terminal.line(`  ${stage.name} still running${progress === '' ? '' : `, ${progress}`}`)
  }, heartbeatMs)
  try {
    const work = () => stage.run({ ...context, onProgress }).catch(failedStage)
    const result = await terminal.step(stage.name, work, describe)
    if (result.output !== '' && !context.signal.aborted) terminal.line(result.output)
    return result
  } finally {
    clearInterval(heartbeat)
  }
}

/** The result of a stage that could not run, for example without a Redis. */
function failedStage(error: unknown): StageResult {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const output = error instanceof ReadableError ? error.message : message
  return { counts: { passed: 0, failed: 1 }, summary: '', output: `✗ ${output}` }
}

function describe({ counts, summary }: StageResult): string {
  if (counts.failed === 0) return summary
  return summary === '' ? 'failed' : summary
}

function chooseStages(names: readonly string[]): readonly Stage[] {
  const known = stages.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new ReadableError(`There is no stage ${unknown}; there are ${known.join(', ')}.`)
  return stages.filter(({ name, isOnRequest = false }) => (names.length === 0 ? !isOnRequest : names.includes(name)))
}
