import { judgeQueue, judgeRunQueue } from '@ratchet/contracts/queues'
import { workerTimeouts } from '@ratchet/db/connect-process-pool'
import { connectAlias } from '@ratchet/judge-kit/fleet/connect-alias'
import { connectFleet } from '@ratchet/judge-kit/fleet/connect-fleet'
import { connectConversations } from '@ratchet/judge-kit/fleet/connect-voice'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import { createLiveNotifier } from '@ratchet/work-kit/live/live-notifier'
import { spaceNotices } from '@ratchet/work-kit/live/space-notices'
import { startOutbox } from '@ratchet/work-kit/outbox/publish-outbox'
import { createWebhookPublisher } from '@ratchet/work-kit/outbox/publish-webhook-event'
import { listenForWork } from '@ratchet/work-kit/polling/pg-work-changes'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { startWorkerProcess, type WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import { createRowNotifier } from '@ratchet/work-kit/queue/queue'
import { type RowWork, reconcileRows, startRowWorker } from '@ratchet/work-kit/queue/row-worker'
import { placesFor } from '@ratchet/work-kit/queue/work-places'
import type { Logger } from 'pino'
import { judgingRooms } from './erasure/pg-erasure-rooms.ts'
import { createWorkerEvents, type WorkerEvents } from './events.ts'
import type { LeasedJudgement } from './judgements/judgement.ts'
import { createPgJudgements } from './judgements/pg-judgements.ts'
import { processJudgement } from './judgements/process-judgement.ts'
import { createPgNotices } from './notices/pg-notices.ts'
import { createNotifyRound } from './review/notify-round.ts'
import { advanceRun } from './runs/advance-run.ts'
import type { LeasedRun } from './runs/judge-run.ts'
import { createRunNotices } from './runs/notify-judges.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import { startJudges } from './start-judges.ts'
import { startMonitor } from './start-monitor.ts'
import { JudgingWorkerConfig } from './worker-config.ts'

export { JudgingWorkerConfig }

const aliasConnections = 4

interface WorkContext extends WorkerParts {
  readonly events: WorkerEvents
}

/** Starts a worker. `PORT` serves probes and metrics. Resolves with the port that it is bound to. */
export function startJudgingWorker(config: JudgingWorkerConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const max = Math.min(11, config.JUDGE_CONCURRENCY + 3)
  const database = { role: 'ratchet_judging', max, ...workerTimeouts } as const
  return startWorkerProcess({ name: 'judging-worker', database }, { config, logger, lifecycle }, (parts) => {
    startWork(config, { ...parts, events: createWorkerEvents(parts.metrics, logger) })
    const { DATABASE_URL: databaseUrl } = config
    startErasures({ service: 'judging', pool: parts.pool, databaseUrl, lifecycle, logger }, judgingRooms)
  })
}

function startWork(config: JudgingWorkerConfig, context: WorkContext): void {
  const { pool, lifecycle, events, now, progress } = context
  const { onProgress } = progress
  const judgements = createPgJudgements(pool)
  const runs = createPgRuns(pool)
  const fleet = connectFleet(config, { ...lifecycle, now, connections: placesFor(config.JUDGE_CONCURRENCY) + 4 })
  const log = createLogReader(fleet.logging, connectConversations(config, { ...lifecycle, now }))
  const queues = createQueues(config, context)
  const notices = createLiveNotifier(queues.queue)
  const notifyRound = createNotifyRound(notices)
  // Many items of a run may be judged in a second.
  const runNotices = createRunNotices(spaceNotices(notices), now)
  const { judge, runHandlers } = startJudges({
    ...context,
    fleet,
    log,
    judgements,
    notifyRound,
    onStop: context.lifecycle.onStop,
  })
  const onDone = async (runId: string, { workspaceId, runKind: kind }: LeasedJudgement) => {
    if (kind !== null) runNotices.judged({ id: runId, workspaceId, kind })
    if (await judgements.isOver(runId)) await queues.enqueueRuns([runId])
  }
  const { enqueueJudgements, enqueueRuns } = queues
  const judging = { judgements, judge, now, onDone, onEvent: events.judgement }
  const running = {
    runs,
    judgements,
    runHandlers,
    now,
    enqueueJudgements,
    onStep: runNotices.stepped,
    onEvent: events.run,
  }
  const judgementWork: RowWork<typeof judgeQueue, LeasedJudgement> = {
    queue: judgeQueue,
    announced: ({ judgementId }) => judgementId,
    take: judgements.take,
    process: (judgement) => processJudgement(judging, judgement),
    workspaceOf: ({ workspaceId }) => workspaceId,
    concurrency: config.JUDGE_CONCURRENCY,
    due: judgements.overdue,
  }
  const runWork: RowWork<typeof judgeRunQueue, LeasedRun> = {
    queue: judgeRunQueue,
    announced: ({ runId }) => runId,
    take: runs.take,
    process: (run) => advanceRun(running, run),
    workspaceOf: ({ workspaceId }) => workspaceId,
    concurrency: 2,
    due: runs.ready,
  }
  const worker = { ...queues.queue, onProgress }
  const changes = listenForWork(context)
  reconcileRows([startRowWorker(judgementWork, worker), startRowWorker(runWork, worker)], {
    changes,
    onStop: lifecycle.onStop,
    onProgress,
    onError: progress.whileUnavailable(events.reconcileFailed),
  })
  startMonitor(config, { ...context, log, judgements, notices, enqueueJudgements, enqueueRuns, onProgress })
  startPublishing(config, { ...context, changes })
}

/** Publishes webhook events about judges. */
function startPublishing(config: JudgingWorkerConfig, context: WorkContext & { readonly changes: WorkChanges }): void {
  const { pool, lifecycle, events, now, logger, changes } = context
  const publish = createWebhookPublisher(connectAlias(config, { ...lifecycle, now, connections: aliasConnections }))
  startOutbox(
    { outbox: createPgNotices(pool), publish, now, onAttempt: events.notice },
    { onStop: lifecycle.onStop, logger, changes },
  )
}

/** A notification that fails does no harm: workers also poll for due rows. */
function createQueues({ REDIS_URL: redisUrl }: JudgingWorkerConfig, { lifecycle, events, progress }: WorkContext) {
  const queue = { redisUrl, onStop: lifecycle.onStop, onError: progress.whileUnavailable(events.queueFailed) }
  return {
    queue,
    enqueueJudgements: createRowNotifier(judgeQueue, queue, (judgementId) => ({ judgementId })),
    enqueueRuns: createRowNotifier(judgeRunQueue, queue, (runId) => ({ runId })),
  }
}
