import { addCounts, formatTotal } from './jest-summary.ts'
import { ReadableError } from './readable-error.ts'
import type { Terminal } from './terminal.ts'
import { type Stage, type StageContext, type StageResult, stages } from './test-stages.ts'
import { startTestStores, type TestStores } from './test-stores.ts'
import { withTempFolder } from './with-temp-folder.ts'

export interface RunStagesOptions {
  /** Names of stages, run in their usual order; none = all. */
  readonly names: readonly string[]
  readonly match?: string
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** How often a long stage says that it is still at it, milliseconds. */
const heartbeatMs = 20_000

/**
 * Runs the stages one after the other, all of them whatever fails, on stores of their own. Ends with the line of totals.
 *
 * @returns whether nothing failed
 * @throws ReadableError for an unknown stage, or when it was interrupted
 */
export async function runStages(options: RunStagesOptions): Promise<boolean> {
  const chosen = chooseStages(options.names)
  return withTempFolder((tempFolder) => runChosen(chosen, tempFolder, options))
}

async function runChosen(
  chosen: readonly Stage[],
  tempFolder: string,
  { terminal, signal, match }: RunStagesOptions,
): Promise<boolean> {
  const stores = lazyStores(tempFolder, terminal)
  const context = { signal, tempFolder, stores: stores.get, ...(match === undefined ? {} : { match }) }
  const results: (StageResult & { name: string })[] = []
  try {
    for (const stage of chosen) {
      results.push({ name: stage.name, ...(await runStage(stage, context, terminal)) })
      if (signal.aborted) throw new ReadableError(`interrupted in ${stage.name}`)
    }
  } finally {
    await stores.stop()
  }
  return report(results, terminal)
}

function report(results: readonly (StageResult & { name: string })[], terminal: Terminal): boolean {
  const failed = results.filter(({ counts }) => counts.failed > 0).map(({ name }) => name)
  if (failed.length > 0) terminal.line(`✗ failed: ${failed.join(', ')}`)
  terminal.line(formatTotal(results.map(({ counts }) => counts).reduce(addCounts, { passed: 0, failed: 0 })))
  return failed.length === 0
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

/** A stage that could not run at all, such as for want of a Redis. */
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
  return names.length === 0 ? stages : stages.filter(({ name }) => names.includes(name))
}

function lazyStores(folder: string, terminal: Terminal): { get: () => Promise<TestStores>; stop: () => Promise<void> } {
  let starting: Promise<TestStores> | null = null
  return {
    get() {
      starting ??= startTestStores({ folder, say: (text) => terminal.line(`▸ ${text}`) })
      return starting
    },
    // Stores that never came up have nothing to stop.
    stop: async () => (await starting?.catch(() => null))?.stop(),
  }
}
