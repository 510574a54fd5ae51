import type { ReadScope } from './exchange-reads.ts'
import type { LoggedExchange } from './logged-exchange.ts'
import type { QuietRun, RunFilter, RunPicks } from './run-picks.ts'
import { isCompleted, quietSince } from './trace-object.ts'

export interface RunSampleRequest extends ReadScope {
  readonly filter: RunFilter
  readonly maxSteps: number
  readonly seed: number
}

export interface SampledRun {
  readonly traceId: string
  /** In order. */
  readonly steps: readonly LoggedExchange[]
}

export interface RunSample {
  /** Completed runs that match. */
  readonly totalRuns: number
  /** Their steps. */
  readonly eligibleSteps: number
  readonly runs: readonly SampledRun[]
}

/** Completed runs in random order, each whole, until one does not fit: to pass over it would favour short ones. */
export async function sampleRuns(
  picks: RunPicks,
  { workspaceId, at, filter, maxSteps, seed }: RunSampleRequest,
): Promise<RunSample> {
  const quiet = await picks.quiet({ workspaceId, at, filter, quietSince: quietSince(at), seed })
  const completed = quiet.filter((run) => isCompleted(run, at))
  const drawn = takeWhole(completed, maxSteps)
  const steps = drawn.length === 0 ? [] : await picks.stepsOf({ workspaceId, at }, drawn)
  const byRun = Map.groupBy(steps, ({ traceId }) => traceId)
  return {
    totalRuns: completed.length,
    eligibleSteps: completed.reduce((sum, run) => sum + run.steps, 0),
    // What was deleted meanwhile is not there.
    runs: drawn.map((traceId) => ({ traceId, steps: byRun.get(traceId) ?? [] })).filter((run) => run.steps.length > 0),
  }
}

/** Ids of the first runs whose steps fit together. */
function takeWhole(runs: readonly QuietRun[], maxSteps: number): readonly string[] {
  let left = maxSteps
  const end = runs.findIndex(({ steps }) => {
    left -= steps
    return left < 0
  })
  return runs.slice(0, end === -1 ? runs.length : end).map(({ id }) => id)
}
