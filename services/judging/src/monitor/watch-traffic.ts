import type { LogRow } from '@ratchet/contracts/logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import { loggedExchange, planLogged } from '../judgements/plan-logged.ts'
import type { CapNotices } from './cap-notice.ts'
import { isPaused, type OnlineCriterion, watches } from './online-criterion.ts'
import type { MonitorStore } from './pg-monitor.ts'
import { watchWorkspaces } from './watch-workspaces.ts'

export interface WatchTrafficDeps {
  readonly monitor: MonitorStore
  readonly capNotices: CapNotices
  readonly judgements: Pick<JudgementStore, 'plan'>
  readonly log: Pick<LogReader, 'fresh'>
  readonly now: () => Date
  /** Milliseconds that the log may take to store an exchange: an older id cannot appear any more. */
  readonly ingestLagMs: number
  /** The lowest UUIDv7 of a moment. */
  readonly firstIdAt: (at: Date) => string
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  readonly onFailure: (workspaceId: string, cause: unknown) => void
}

const pageSize = 500
/** Pages of one workspace in one pass; the rest waits for the next pass, so that a backlog does not delay others. */
const maxPages = 20

/**
 * Plans judgements of the traffic that was stored since the last pass. Several processes store exchanges, so an exchange
 * may appear after one with a later id: exchanges younger than the ingest lag wait for a later pass.
 */
export async function watchTraffic(deps: WatchTrafficDeps): Promise<void> {
  await watchWorkspaces(deps, 'request', (workspaceId, criteria) => watchWorkspace(deps, workspaceId, criteria))
}

async function watchWorkspace(deps: WatchTrafficDeps, workspaceId: string, criteria: readonly OnlineCriterion[]) {
  const { monitor, log, now, firstIdAt, ingestLagMs } = deps
  const at = now()
  const known = await monitor.cursorOf(workspaceId)
  // Monitoring begins with the traffic after it was turned on.
  if (known === null) return monitor.moveCursor(workspaceId, firstIdAt(at), at)
  const firstTooYoung = firstIdAt(new Date(at.getTime() - ingestLagMs))
  const identity = workspaceIdentity(workspaceId)
  for (let page = 0, after = known; page < maxPages; page += 1) {
    const rows = await log.fresh(identity, after, pageSize)
    const complete = rows.filter(({ id }) => (uuidOf('log', id) ?? firstTooYoung) < firstTooYoung)
    await planRows(deps, criteria, complete)
    after = uuidOf('log', complete.at(-1)?.id ?? '') ?? after
    if (complete.length > 0) await monitor.moveCursor(workspaceId, after, at)
    if (complete.length < pageSize) return
  }
}

async function planRows(deps: WatchTrafficDeps, criteria: readonly OnlineCriterion[], rows: readonly LogRow[]) {
  const at = deps.now()
  const planned = criteria
    .filter((criterion) => !isPaused(criterion))
    .flatMap((criterion) => rows.flatMap((row) => (watches(criterion, row) ? planOnline(criterion, row, at) : [])))
  if (planned.length > 0) await deps.enqueueJudgements(await deps.judgements.plan(planned))
}

function planOnline(criterion: OnlineCriterion, row: LogRow, at: Date): PlannedJudgement[] {
  const exchange = loggedExchange(row)
  if (exchange === null) return []
  const planned = planLogged({
    id: deterministicId('online', criterion.id, exchange.logId),
    criterion,
    runId: null,
    source: 'online',
    samplingProbability: criterion.onlinePercent / 100,
    isCanary: row.canary,
    createdAt: at,
    exchange,
  })
  return [planned]
}
