import { maxJudgedSteps } from '@ratchet/contracts/internal-logs'
import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { isCompleted } from '../traces/trace-object.ts'
import type { TraceReads, TraceSummary } from '../traces/trace-reads.ts'
import type { RunPicks } from './run-picks.ts'

export interface ReadRun extends Pick<TraceSummary, 'lastAt' | 'expiresAt'> {
  readonly traceId: string
  readonly isCompleted: boolean
  readonly stepCount: number
  /** The oldest first; empty for a run that is too long to be judged. */
  readonly steps: readonly LoggedExchange[]
}

export interface ReadRunsDeps {
  readonly traces: Pick<TraceReads, 'summaries'>
  readonly runPicks: Pick<RunPicks, 'stepsOf'>
}

/** Reads runs, in the order of the given ids; those without a step are left out. */
export async function readRuns(
  { traces, runPicks }: ReadRunsDeps,
  scope: ReadScope,
  traceIds: readonly string[],
): Promise<readonly ReadRun[]> {
  if (traceIds.length === 0) return []
  const summaries = await traces.summaries(scope, traceIds)
  const short = summaries.filter(({ steps }) => steps <= maxJudgedSteps).map(({ id }) => id)
  const steps = short.length === 0 ? [] : await runPicks.stepsOf(scope, short)
  const byRun = Map.groupBy(steps, ({ traceId }) => traceId)
  const byId = new Map(summaries.map((summary) => [summary.id, summary]))
  return [...new Set(traceIds)].flatMap((traceId) => {
    const summary = byId.get(traceId)
    return summary === undefined ? [] : [readRun(summary, byRun.get(traceId) ?? [], scope.at)]
  })
}

function readRun(summary: TraceSummary, steps: readonly LoggedExchange[], at: Date): ReadRun {
  const { id: traceId, lastAt, expiresAt, steps: stepCount } = summary
  return { traceId, lastAt, expiresAt, stepCount, steps, isCompleted: isCompleted(summary, at) }
}
