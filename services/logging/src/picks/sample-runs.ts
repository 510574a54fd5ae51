import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { isCompleted, quietSince } from '../traces/trace-object.ts'
import type { QuietRun, RunFilter, RunPicks } from './run-picks.ts'

export interface RunSampleRequest extends ReadScope {
  readonly filter: RunFilter
  readonly maxSteps: number
  readonly seed: number
}

export interface SampledRun {
  readonly traceId: string
  /** The oldest first. */
  readonly steps: readonly LoggedExchange[]
}

export interface RunSample {
  /** Number of completed runs that match. */
  readonly totalRuns: number
  /** Number of their steps. */
  readonly eligibleSteps: number
  readonly runs: readonly SampledRun[]
}

/** Draws completed runs. */
export async function drawRuns(
  picks: Pick<RunPicks, 'quiet'>,
  { count, ...request }: Omit<RunSampleRequest, 'maxSteps'> & { readonly count: number },
): Promise<{ readonly totalRuns: number; readonly traceIds: readonly string[] }> {
  const completed = await completedRuns(picks, request)
  return { totalRuns: completed.length, traceIds: completed.slice(0, count).map(({ id }) => id) }
}

/** Draws whole completed runs until one does not fit. Skipping that run would favour short runs. */
export async function sampleRuns(
  picks: Pick<RunPicks, 'quiet' | 'stepsOf'>,
  { workspaceId, at, filter, maxSteps, seed }: RunSampleRequest,
): Promise<RunSample> {
  const completed = await completedRuns(picks, { workspaceId, at, filter, seed })
  const drawn = takeWhole(completed, maxSteps)
  const steps = drawn.length === 0 ? [] : await picks.stepsOf({ workspaceId, at }, drawn)
  const byRun = Map.groupBy(steps, ({ traceId }) => traceId)
  return {
    totalRuns: completed.length,
    eligibleSteps: completed.reduce((sum, run) => sum + run.steps, 0),
    // Leaves out runs whose steps were deleted meanwhile.
    runs: drawn.map((traceId) => ({ traceId, steps: byRun.get(traceId) ?? [] })).filter((run) => run.steps.length > 0),
  }
}

/** In a random order that the seed determines. */
async function completedRuns(
  picks: Pick<RunPicks, 'quiet'>,
  { workspaceId, at, filter, seed }: Omit<RunSampleRequest, 'maxSteps'>,
): Promise<readonly QuietRun[]> {
  const quiet = await picks.quiet({ workspaceId, at, filter, quietSince: quietSince(at), seed })
  return quiet.filter((run) => isCompleted(run, at))
}

/** Ids of the first runs that have at most `maxSteps` steps together. */
function takeWhole(runs: readonly QuietRun[], maxSteps: number): readonly string[] {
  let left = maxSteps
  const end = runs.findIndex(({ steps }) => {
    left -= steps
    return left < 0
  })
  return runs.slice(0, end === -1 ? runs.length : end).map(({ id }) => id)
}
