import { judgeQueue, judgeRunQueue } from '@ratchet/contracts/queues'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, workerTimeouts } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { aliasConfig, connectAlias } from '@ratchet/judge-kit/fleet/connect-alias'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { createWebhookPublisher } from '@ratchet/judge-kit/fleet/publish-webhook-event'
import { httpServiceConfig } from '@ratchet/service-kit/config'
import { createDrain } from '@ratchet/service-kit/drain'
import { createAdminApp } from '@ratchet/service-kit/http-app'
import { createRowNotifier, startQueueWorker } from '@ratchet/service-kit/queue'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { serveService } from '@ratchet/service-kit/serve-service'
import { showProgressOf } from '@ratchet/service-kit/show-progress'
import { type ProgressWatch, watchProgress } from '@ratchet/service-kit/watch-progress'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createWorkerEvents, type WorkerEvents } from './events.ts'
import { createPgJudgements } from './judgements/pg-judgements.ts'
import { processJudgement } from './judgements/process-judgement.ts'
import { createPgNotices } from './notices/pg-notices.ts'
import { publishNotices } from './notices/publish-notices.ts'
import { advanceRun } from './runs/advance-run.ts'
import { createPgRuns } from './runs/pg-runs.ts'
import { startJudges } from './start-judges.ts'
import { startMonitor } from './start-monitor.ts'

export const JudgingWorkerConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...aliasConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** Judgements that one worker has under way at the same time. */
  JUDGE_CONCURRENCY: z.coerce.number().int().min(1).max(500).default(16),
  /** Milliseconds between looks at fresh traffic. */
  MONITOR_EVERY_MS: z.coerce.number().int().min(100).default(5_000),
  /** Milliseconds after which an exchange that was being stored is stored or never will be under its id. */
  MONITOR_SETTLE_MS: z.coerce.number().int().min(0).default(35_000),
  /** Milliseconds between sweeps for drift. */
  DRIFT_SWEEP_MS: z.coerce.number().int().min(1_000).default(86_400_000),
  /** Days after which a calibration has aged out. */
  CALIBRATION_HOLDS_DAYS: z.coerce.number().int().min(1).default(30),
})
export type JudgingWorkerConfig = z.output<typeof JudgingWorkerConfig>

/** How often work is looked for that no job tells of, milliseconds. */
const reconcileEveryMs = 2_000
const maxOverdue = 500
/** How often it is looked what webhooks are to be told of, milliseconds. */
const publishEveryMs = 1_000
const aliasConnections = 4

interface WorkContext {
  readonly pool: Pool
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly events: WorkerEvents
  readonly now: () => Date
  readonly progress: ProgressWatch
}

/** Starts a worker of the judges; `PORT` answers probes and metrics. Resolves with the port it is bound to. */
export async function startJudgingWorker(
  config: JudgingWorkerConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('judging-worker')
  const events = createWorkerEvents(metrics, logger)
  const pool = connectWorkerPool(config, { logger, lifecycle })
  const progress = showProgressOf(metrics, watchProgress(now), now)
  startWork(config, { pool, logger, lifecycle, events, now, progress })
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1'), progress: progress.check },
    startChecks: { schema: createSchemaCheck(pool) },
    lifeChecks: { progress: progress.checkLife },
    now,
  }
  return serveService(config, { app: createAdminApp({ health, metrics }), health, metrics, lifecycle, logger })
}

function startWork(config: JudgingWorkerConfig, context: WorkContext): void {
  const { pool, lifecycle, events, now, progress } = context
  const { onProgress } = progress
  const judgements = createPgJudgements(pool)
  const runs = createPgRuns(pool)
  const fleet = connectFleet(config, { ...lifecycle, now, connections: config.JUDGE_CONCURRENCY + 4 })
  const log = createLogReader(fleet.logging)
  const { judge, runHandlers } = startJudges({ ...context, fleet, log, judgements })
  const queues = createQueues(config, context)
  const onDone = async (runId: string) => {
    if (await judgements.isOver(runId)) await queues.enqueueRuns([runId])
  }
  const { enqueueJudgements, enqueueRuns, queue } = queues
  const judging = { judgements, judge, now, onDone, onEvent: events.judgement }
  const running = { runs, judgements, runHandlers, now, enqueueJudgements, onEvent: events.run }
  const concurrency = config.JUDGE_CONCURRENCY
  const judgeOne = (job: { readonly judgementId: string }) => processJudgement(judging, job.judgementId)
  startQueueWorker(judgeQueue, judgeOne, { ...queue, concurrency, onProgress })
  startQueueWorker(judgeRunQueue, ({ runId }) => advanceRun(running, runId), { ...queue, concurrency: 2, onProgress })
  const reconcile = async () => {
    const overdue = await judgements.overdue(maxOverdue)
    if (overdue.length === 0) onProgress()
    else await enqueueJudgements(overdue)
    await enqueueRuns(await runs.ready(maxOverdue))
  }
  const onError = progress.whileUnavailable(events.reconcileFailed)
  lifecycle.onStop(repeatEvery({ everyMs: reconcileEveryMs, work: reconcile, onError }))
  startMonitor(config, { ...context, log, judgements, enqueueJudgements, enqueueRuns, onProgress })
  startPublishing(config, context)
}

/** Has webhooks told of judges. */
function startPublishing(config: JudgingWorkerConfig, { pool, lifecycle, events, now }: WorkContext): void {
  const report = createWebhookPublisher(connectAlias(config, { ...lifecycle, now, connections: aliasConnections }))
  const work = () => publishNotices({ notices: createPgNotices(pool), report, now, onEvent: events.notice })
  lifecycle.onStop(repeatEvery({ everyMs: publishEveryMs, work, onError: events.reconcileFailed }))
}

/** What tells of work. A bell that cannot be rung does no harm: the work is found all the same. */
function createQueues({ REDIS_URL: redisUrl }: JudgingWorkerConfig, { lifecycle, events, progress }: WorkContext) {
  const queue = { redisUrl, onStop: lifecycle.onStop, onError: progress.whileUnavailable(events.queueFailed) }
  return {
    queue,
    enqueueJudgements: createRowNotifier(judgeQueue, queue, (judgementId) => ({ judgementId })),
    enqueueRuns: createRowNotifier(judgeRunQueue, queue, (runId) => ({ runId })),
  }
}

function connectWorkerPool(
  { DATABASE_URL: databaseUrl, JUDGE_CONCURRENCY: concurrency }: JudgingWorkerConfig,
  { logger, lifecycle }: Pick<WorkContext, 'logger' | 'lifecycle'>,
): Pool {
  const pool = connectProcessPool(
    { databaseUrl, role: 'ratchet_judging', max: Math.min(10, concurrency + 2), ...workerTimeouts },
    { ...lifecycle, logger },
  )
  return pool
}
