import type { LogReader, RunPlace } from '@ratchet/judge-kit/fleet/log-reader'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import { loggedRun, planRun } from '../judgements/plan-logged.ts'
import type { CapNotices } from './cap-notice.ts'
import { isInShare, isPaused, type OnlineCriterion, watchesRun } from './online-criterion.ts'
import type { MonitorStore } from './pg-monitor.ts'
import { watchWorkspaces } from './watch-workspaces.ts'

export interface WatchRunsDeps {
  readonly monitor: MonitorStore
  readonly capNotices: CapNotices
  readonly judgements: Pick<JudgementStore, 'plan'>
  readonly log: Pick<LogReader, 'quietRuns' | 'readRuns'>
  readonly now: () => Date
  /** Milliseconds that the log may take to store a step. */
  readonly ingestLagMs: number
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  readonly onFailure: (workspaceId: string, cause: unknown) => void
}

/** Milliseconds without a new step after which a run can be completed, as the log defines it. */
export const quietMs = 600_000
const pageSize = 100
/** Pages of one workspace in one pass; the rest waits for the next pass, so that a backlog does not delay others. */
const maxPages = 10

/**
 * Plans judgements of the runs that were completed since the last pass, each once. Runs are read in the order of their last
 * steps, so a run that continues is read again when it is quiet again; it may be completed then. Runs that have just become
 * quiet wait for a later pass, because the log may still store a step of them.
 */
export async function watchRuns(deps: WatchRunsDeps): Promise<void> {
  await watchWorkspaces(deps, 'trace', (workspaceId, criteria) => watchWorkspace(deps, workspaceId, criteria))
}

async function watchWorkspace(deps: WatchRunsDeps, workspaceId: string, criteria: readonly OnlineCriterion[]) {
  const { monitor, log, now, ingestLagMs } = deps
  const at = now()
  const known = await monitor.runCursorOf(workspaceId)
  // Monitoring begins with the runs that are completed after it was turned on.
  const quietSince = new Date(at.getTime() - quietMs)
  if (known === null) return monitor.moveRunCursor(workspaceId, { lastAt: quietSince, traceId: '' }, at)
  const firstTooYoung = new Date(quietSince.getTime() - ingestLagMs)
  for (let page = 0, after = known; page < maxPages; page += 1) {
    const listed = await log.quietRuns(workspaceIdentity(workspaceId), after, pageSize)
    const settled = listed.filter(({ lastAt }) => lastAt < firstTooYoung)
    await planRuns(deps, criteria, { workspaceId, listed: settled, at })
    after = settled.at(-1) ?? after
    if (settled.length > 0) await monitor.moveRunCursor(workspaceId, after, at)
    if (settled.length < pageSize) return
  }
}

interface ListedRuns {
  readonly workspaceId: string
  readonly listed: readonly RunPlace[]
  readonly at: Date
}

async function planRuns(
  { log, judgements, enqueueJudgements }: WatchRunsDeps,
  criteria: readonly OnlineCriterion[],
  { workspaceId, listed, at }: ListedRuns,
) {
  const active = criteria.filter((criterion) => !isPaused(criterion))
  // Chosen by id first, so that only the steps of chosen runs are read.
  const chosen = listed.filter(({ traceId }) => active.some((criterion) => isInShare(criterion, traceId)))
  if (chosen.length === 0) return
  const identity = workspaceIdentity(workspaceId)
  const runs = await log.readRuns(
    identity,
    chosen.map(({ traceId }) => traceId),
  )
  const planned = runs.flatMap((logged): PlannedJudgement[] => {
    const run = loggedRun(logged)
    if (run === null) return []
    const watching = active.filter((each) => isInShare(each, run.traceId) && watchesRun(each, logged))
    return watching.map((criterion) =>
      planRun({
        id: deterministicId('online run', criterion.id, run.traceId),
        criterion,
        runId: null,
        source: 'online',
        samplingProbability: criterion.onlinePercent / 100,
        createdAt: at,
        run,
      }),
    )
  })
  if (planned.length > 0) await enqueueJudgements(await judgements.plan(planned))
}
