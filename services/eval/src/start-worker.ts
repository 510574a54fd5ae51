import { evalRunQueue, evalSampleQueue } from '@ratchet/contracts/queues'
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
import { webhookConfig, webhookRules } from '@ratchet/service-kit/webhook-config'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createWorkerEvents, type WorkerEvents } from './events.ts'
import { createCompareAnswers } from './judging/compare-answers.ts'
import { createJudgePair } from './judging/judge-pair.ts'
import { createSourceChooser } from './prompts/choose-source.ts'
import { advanceEval } from './runs/advance-eval.ts'
import { notifyDone } from './runs/notify-done.ts'
import { createPgDoneEvals } from './runs/pg-done-evals.ts'
import { createPgEvals } from './runs/pg-evals.ts'
import { createAnswerSample } from './samples/answer-sample.ts'
import { doSample } from './samples/do-sample.ts'
import { evaluateSample } from './samples/evaluate-sample.ts'
import { createPgPurge } from './samples/pg-purge.ts'
import { createPgSamples } from './samples/pg-samples.ts'
import { purgeSamples } from './samples/purge-samples.ts'
import type { LeasedSample } from './samples/sample.ts'
import { createWebhookSender, deliverWebhooks } from './webhooks/deliver-webhooks.ts'
import { createPgWebhooks } from './webhooks/pg-webhooks.ts'

export const EvalWorkerConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...aliasConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** Samples that one worker processes at the same time. A sample calls all of its models at once. */
  EVAL_CONCURRENCY: z.coerce.number().int().min(1).max(200).default(16),
  ...webhookConfig,
  /** Interval between purges of expired texts, milliseconds. The API promises that a text is gone within an hour. */
  EVAL_FORGET_MS: z.coerce.number().int().min(100).max(3_600_000).default(600_000),
})
export type EvalWorkerConfig = z.output<typeof EvalWorkerConfig>

/** Interval between searches in Postgres for work that no queue message announced, milliseconds. */
const reconcileEveryMs = 2_000
const maxOverdue = 500
/** Interval between deliveries of webhooks and of `eval.done` notices, milliseconds. */
const deliverEveryMs = 1_000
/** Maximum concurrent model calls of one sample: verdicts on three candidates, each in both orders. */
const callsPerSample = 6

interface WorkContext {
  readonly pool: Pool
  readonly lifecycle: Lifecycle
  readonly events: WorkerEvents
  readonly now: () => Date
  readonly progress: ProgressWatch
}

/** Starts a worker, whose port answers probes and metrics. Resolves with the bound port. */
export async function startEvalWorker(config: EvalWorkerConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const now = () => new Date()
  const metrics = createProcessMetrics('eval-worker')
  const events = createWorkerEvents(metrics, logger)
  const pool = connectProcessPool(
    {
      databaseUrl: config.DATABASE_URL,
      role: 'ratchet_eval',
      max: Math.min(10, config.EVAL_CONCURRENCY + 2),
      ...workerTimeouts,
    },
    { ...lifecycle, logger },
  )
  const progress = showProgressOf(metrics, watchProgress(now), now)
  startWork(config, { pool, lifecycle, events, now, progress })
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1'), progress: progress.check },
    startChecks: { schema: createSchemaCheck(pool) },
    lifeChecks: { progress: progress.checkLife },
    now,
  }
  return serveService(config, { app: createAdminApp({ health, metrics }), health, metrics, lifecycle, logger })
}

function startWork(config: EvalWorkerConfig, context: WorkContext): void {
  const { pool, lifecycle, events, now, progress } = context
  const { onProgress } = progress
  const concurrency = config.EVAL_CONCURRENCY
  const [evals, samples] = [createPgEvals(pool), createPgSamples(pool)]
  const fleet = connectFleet(config, { ...lifecycle, now, connections: callsPerSample * concurrency + 4 })
  const log = createLogReader(fleet.logging)
  const queues = createQueues(config, context)
  const evaluateDeps = {
    samples,
    answerSample: createAnswerSample({ inference: fleet.inference, now }),
    judgePair: createJudgePair(createCompareAnswers({ inference: fleet.inference, now })),
  }
  const sampleDeps = {
    samples,
    evaluate: (sample: LeasedSample) => evaluateSample(evaluateDeps, sample),
    onDone: (runId: string) => queues.enqueueRuns([runId]),
    onEvent: events.sample,
  }
  const runDeps = {
    evals,
    samples,
    sourceOf: createSourceChooser(log, fleet.logging),
    now,
    enqueueSamples: queues.enqueueSamples,
    onEvent: events.run,
  }
  const { queue } = queues
  const doOne = ({ sampleId }: { readonly sampleId: string }) => doSample(sampleDeps, sampleId)
  startQueueWorker(evalSampleQueue, doOne, { ...queue, concurrency, onProgress })
  startQueueWorker(evalRunQueue, ({ runId }) => advanceEval(runDeps, runId), { ...queue, concurrency: 2, onProgress })
  const reconcile = async () => {
    const overdue = await samples.overdue(maxOverdue)
    if (overdue.length === 0) onProgress()
    await queues.enqueueSamples(overdue)
    await queues.enqueueRuns(await evals.ready(maxOverdue))
  }
  const onError = progress.whileUnavailable(events.reconcileFailed)
  lifecycle.onStop(repeatEvery({ everyMs: reconcileEveryMs, work: reconcile, onError }))
  const purge = () => purgeSamples({ store: createPgPurge(pool), log })
  lifecycle.onStop(repeatEvery({ everyMs: config.EVAL_FORGET_MS, work: purge, onError: events.purgeFailed }))
  startDeliveries(config, context)
}

/** Sends webhooks and `eval.done` notices of finished evals. A receiver that fails does not affect any eval. */
function startDeliveries(config: EvalWorkerConfig, { pool, lifecycle, events, now }: WorkContext): void {
  const send = createWebhookSender({ rules: webhookRules(config), now })
  const deliver = () => deliverWebhooks({ webhooks: createPgWebhooks(pool), send, now })
  lifecycle.onStop(repeatEvery({ everyMs: deliverEveryMs, work: deliver, onError: events.webhooksFailed }))
  const alias = connectAlias(config, { ...lifecycle, now, connections: 4 })
  const done = {
    done: createPgDoneEvals(pool),
    publish: createWebhookPublisher(alias),
    onRefused: events.noticeRefused,
    now,
  }
  lifecycle.onStop(
    repeatEvery({ everyMs: deliverEveryMs, work: () => notifyDone(done), onError: events.webhooksFailed }),
  )
}

/** Notifies workers of work. When a message is lost, `reconcile` finds the work in Postgres. */
function createQueues({ REDIS_URL: redisUrl }: EvalWorkerConfig, { lifecycle, events, progress }: WorkContext) {
  const queue = { redisUrl, onStop: lifecycle.onStop, onError: progress.whileUnavailable(events.queueFailed) }
  return {
    queue,
    enqueueSamples: createRowNotifier(evalSampleQueue, queue, (sampleId) => ({ sampleId })),
    enqueueRuns: createRowNotifier(evalRunQueue, queue, (runId) => ({ runId })),
  }
}
