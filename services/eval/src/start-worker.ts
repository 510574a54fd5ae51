import { evalRunQueue, evalSampleQueue } from '@ratchet/contracts/queues'
import { workerTimeouts } from '@ratchet/db/connect-process-pool'
import { createChecks } from '@ratchet/judge-kit/checks/create-checks'
import { aliasConfig, connectAlias } from '@ratchet/judge-kit/fleet/connect-alias'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createLogReader } from '@ratchet/judge-kit/fleet/create-log-reader'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/process/webhook-config'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import { createLiveNotifier } from '@ratchet/work-kit/live/live-notifier'
import { startOutbox } from '@ratchet/work-kit/outbox/publish-outbox'
import { createWebhookPublisher } from '@ratchet/work-kit/outbox/publish-webhook-event'
import { startDueWork } from '@ratchet/work-kit/polling/due-runner'
import { listenForWork } from '@ratchet/work-kit/polling/pg-work-changes'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { startWorkerProcess, type WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import { createRowNotifier } from '@ratchet/work-kit/queue/queue'
import { type RowWork, reconcileRows, startRowWorker } from '@ratchet/work-kit/queue/row-worker'
import { placesFor } from '@ratchet/work-kit/queue/work-places'
import { createWebhookSender } from '@ratchet/work-kit/webhooks/send-webhook'
import type { Logger } from 'pino'
import { z } from 'zod'
import { evalRooms } from './erasure/pg-erasure-rooms.ts'
import { createWorkerEvents, type WorkerEvents } from './events.ts'
import { createCompareAnswers } from './judging/compare-answers.ts'
import { createJudgePair } from './judging/judge-pair.ts'
import { samplesAtOnce } from './plan/plan-eval.ts'
import { createSourceChooser } from './prompts/choose-source.ts'
import { advanceEval } from './runs/advance-eval.ts'
import type { LeasedEval } from './runs/eval-run.ts'
import { createNotifyEval } from './runs/notify-eval.ts'
import { createPgDoneEvents } from './runs/pg-done-events.ts'
import { createPgEvals } from './runs/pg-evals.ts'
import { stopWhenConclusive } from './runs/stop-eval.ts'
import { createAnswerSample } from './samples/answer-sample.ts'
import { doSample } from './samples/do-sample.ts'
import { evaluateSample } from './samples/evaluate-sample.ts'
import { createPgPurge } from './samples/pg-purge.ts'
import { createPgSamples } from './samples/pg-samples.ts'
import { purgeSamples } from './samples/purge-samples.ts'
import type { LeasedSample } from './samples/sample.ts'
import { linesAtOnce, startBatches } from './start-batches.ts'
import { deliverWebhook } from './webhooks/deliver-webhook.ts'
import { createPgWebhooks, type DueWebhook } from './webhooks/pg-webhooks.ts'

export const EvalWorkerConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...aliasConfig,
  REDIS_URL: z.url({ protocol: /^rediss?$/ }),
  /** Samples of one workspace that a worker processes at the same time. A sample calls all of its models at once. */
  EVAL_CONCURRENCY: z.coerce.number().int().min(1).max(200).default(samplesAtOnce),
  ...webhookConfig,
  /** Interval between purges of expired texts, milliseconds. The API promises that a text is gone within an hour. */
  EVAL_PURGE_MS: z.coerce.number().int().min(100).max(3_600_000).default(600_000),
})
export type EvalWorkerConfig = z.output<typeof EvalWorkerConfig>

/** Interval between searches for due webhooks, milliseconds. */
const deliverEveryMs = 1_000
/** Webhooks sent at the same time. */
const maxWebhooks = 20
/** Maximum concurrent model calls of one sample: verdicts of three judges on three candidates, each in both orders. */
const callsPerSample = 18

interface WorkContext extends WorkerParts {
  readonly events: WorkerEvents
}

/** Starts a worker, whose port answers probes and metrics. Resolves with the bound port. */
export function startEvalWorker(config: EvalWorkerConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_eval', max: Math.min(11, config.EVAL_CONCURRENCY + 3), ...workerTimeouts } as const
  return startWorkerProcess({ name: 'eval-worker', database }, { config, logger, lifecycle }, (parts) => {
    startWork(config, { ...parts, events: createWorkerEvents(parts.metrics, logger) })
    const { DATABASE_URL: databaseUrl } = config
    startErasures({ service: 'eval', pool: parts.pool, databaseUrl, lifecycle, logger }, evalRooms)
  })
}

function startWork(config: EvalWorkerConfig, context: WorkContext): void {
  const { pool, lifecycle, events, now, progress } = context
  const { onProgress } = progress
  const concurrency = config.EVAL_CONCURRENCY
  const [evals, samples] = [createPgEvals(pool), createPgSamples(pool)]
  const fleet = connectFleet(config, {
    ...lifecycle,
    now,
    connections: callsPerSample * placesFor(concurrency) + placesFor(linesAtOnce) + 4,
  })
  const log = createLogReader(fleet.logging)
  const queues = createQueues(config, context)
  const notifyEval = createNotifyEval(createLiveNotifier(queues.queue), now)
  const evaluateDeps = {
    samples,
    answerSample: createAnswerSample({ inference: fleet.inference, now }),
    judgePair: createJudgePair(
      createCompareAnswers({ inference: fleet.inference, now, ...createChecks(lifecycle.onStop) }),
    ),
  }
  const sampleDeps = {
    samples,
    evaluate: (sample: LeasedSample) => evaluateSample(evaluateDeps, sample),
    afterSample: async (sample: LeasedSample) => {
      await stopWhenConclusive({ evals, samples }, sample)
      await notifyEval(sample.run)
    },
    onDone: (runId: string) => queues.enqueueRuns([runId]),
    onEvent: events.sample,
  }
  const runDeps = {
    evals,
    samples,
    sourceOf: createSourceChooser(log, fleet.logging),
    now,
    enqueueSamples: queues.enqueueSamples,
    notifyEval,
    onEvent: events.run,
  }
  const sampleWork: RowWork<typeof evalSampleQueue, LeasedSample> = {
    queue: evalSampleQueue,
    announced: ({ sampleId }) => sampleId,
    take: samples.take,
    process: (sample) => doSample(sampleDeps, sample),
    workspaceOf: ({ run }) => run.workspaceId,
    concurrency,
    due: samples.overdue,
  }
  const runWork: RowWork<typeof evalRunQueue, LeasedEval> = {
    queue: evalRunQueue,
    announced: ({ runId }) => runId,
    take: evals.take,
    process: (run) => advanceEval(runDeps, run),
    workspaceOf: ({ workspaceId }) => workspaceId,
    concurrency: 2,
    due: evals.ready,
  }
  const worker = { ...queues.queue, onProgress }
  const changes = listenForWork(context)
  const batches = startBatches({ pool, fleet, now, events, queue: queues.queue, onProgress })
  reconcileRows([startRowWorker(sampleWork, worker), startRowWorker(runWork, worker), ...batches], {
    changes,
    onStop: lifecycle.onStop,
    onProgress,
    onError: progress.whileUnavailable(events.reconcileFailed),
  })
  const purge = () => purgeSamples({ store: createPgPurge(pool), log })
  lifecycle.onStop(repeatEvery({ everyMs: config.EVAL_PURGE_MS, work: purge, onError: events.purgeFailed }))
  startDeliveries(config, { ...context, changes })
}

/** Sends webhooks and publishes `eval.done` of finished evals. A receiver that fails does not affect any eval. */
function startDeliveries(config: EvalWorkerConfig, context: WorkContext & { readonly changes: WorkChanges }): void {
  const { pool, lifecycle, events, now, logger, changes } = context
  const { onStop } = lifecycle
  const onError = events.webhooksFailed
  const webhooks = createPgWebhooks(pool)
  const send = createWebhookSender({ rules: webhookRules(config), now })
  const process = (webhook: DueWebhook) => deliverWebhook({ webhooks, send }, webhook)
  startDueWork(
    { take: webhooks.takeDue, process, concurrency: maxWebhooks, onError },
    { everyMs: deliverEveryMs, changes, onStop },
  )
  const publish = createWebhookPublisher(connectAlias(config, { ...lifecycle, now, connections: 4 }))
  startOutbox(
    { outbox: createPgDoneEvents(pool), publish, now, onAttempt: events.doneEvent },
    { onStop, logger, changes },
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
