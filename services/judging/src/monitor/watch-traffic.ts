import type { LogRow } from '@ratchet/contracts/logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { MonitorStore } from './monitor-store.ts'
import { isPaused, type OnlineCriterion, watches } from './online-criterion.ts'

export interface WatchTrafficDeps {
  readonly monitor: MonitorStore
  readonly judgements: Pick<JudgementStore, 'plan'>
  readonly log: Pick<LogReader, 'fresh'>
  readonly now: () => Date
  /** Milliseconds after which no exchange is stored any more with an id of before. */
  readonly settleMs: number
  /** The lowest UUIDv7 of a moment. */
  readonly firstIdAt: (at: Date) => string
  readonly enqueueJudgements: (ids: readonly string[]) => Promise<void>
  /** Hears that the traffic of a workspace could not be looked at. */
  readonly onFailure: (workspaceId: string, cause: unknown) => void
}

const pageSize = 500
/** Pages of one workspace in one turn: what is left waits for the next, so that nobody's backlog is everybody's. */
const maxPages = 20

/**
 * Looks at the traffic that was stored since the last look and plans what is to be judged of it. Several processes store
 * at once, so an exchange may appear behind one with a later id: the last moments wait until nothing can come before them.
 */
export async function watchTraffic(deps: WatchTrafficDeps): Promise<void> {
  await deps.monitor.alone(async () => {
    const all = await deps.monitor.onlineCriteria()
    const workspaceIds = [...new Set(all.map((criterion) => criterion.workspaceId))]
    await deps.monitor.keepCursors(workspaceIds)
    for (const workspaceId of workspaceIds) {
      const own = all.filter((criterion) => criterion.workspaceId === workspaceId)
      try {
        await watchWorkspace(deps, workspaceId, own)
      } catch (cause) {
        if (!(cause instanceof LoggingIsOff)) deps.onFailure(workspaceId, cause)
      }
    }
  })
}

async function watchWorkspace(deps: WatchTrafficDeps, workspaceId: string, criteria: readonly OnlineCriterion[]) {
  const { monitor, log, now, firstIdAt, settleMs } = deps
  const at = now()
  const known = await monitor.cursorOf(workspaceId)
  // Judging begins with the traffic that comes after it was turned on.
  if (known === null) return monitor.moveCursor(workspaceId, firstIdAt(at), at)
  const unsettled = firstIdAt(new Date(at.getTime() - settleMs))
  const identity = workerIdentity(workspaceId, criteria[0]?.createdBy ?? workspaceId)
  for (let page = 0, after = known; page < maxPages; page += 1) {
    const rows = await log.fresh(identity, after, pageSize)
    const settled = rows.filter(({ id }) => (uuidOf('log', id) ?? unsettled) < unsettled)
    await planRows(deps, criteria, settled)
    after = uuidOf('log', settled.at(-1)?.id ?? '') ?? after
    if (settled.length > 0) await monitor.moveCursor(workspaceId, after, at)
    if (settled.length < pageSize) return
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
  const logId = uuidOf('log', row.id)
  if (logId === null) return []
  return [
    {
      id: deterministicId('online', criterion.id, logId),
      workspaceId: criterion.workspaceId,
      criterionId: criterion.id,
      runId: null,
      source: 'online',
      instrument: criterion.instrument,
      judgePrompt: null,
      judgedResponse: null,
      item: { kind: 'log', logId },
      labelId: null,
      human: null,
      weight: 100 / criterion.onlinePercent,
      stratum: null,
      segment: row.segment,
      tag: row.tag,
      isCanary: row.canary,
      itemAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
      createdAt: at,
    },
  ]
}
