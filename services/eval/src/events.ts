import { Counter, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import { failWork } from '@ratchet/telemetry/spans'
import type { OutboxAttempt } from '@ratchet/work-kit/outbox/publish-outbox'
import type { Logger } from 'pino'
import type { BatchEvent } from './batches/advance-batch.ts'
import type { LineEvent } from './batches/do-line.ts'
import type { EvalEvent } from './runs/advance-eval.ts'
import type { SampleEvent } from './samples/do-sample.ts'

/** Reports what a worker does as metrics and log lines. Log lines hold ids and never texts of users. */
export interface WorkerEvents {
  sample(event: SampleEvent): void
  run(event: EvalEvent): void
  /** An attempt at a request of a batch. */
  batchLine(event: LineEvent): void
  /** A step of a batch. */
  batch(event: BatchEvent): void
  queueFailed(cause: unknown): void
  reconcileFailed(cause: unknown): void
  purgeFailed(cause: unknown): void
  /** An attempt to publish `eval.done` of an eval. */
  doneEvent(attempt: OutboxAttempt): void
  webhooksFailed(cause: unknown): void
}

export function createWorkerEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): WorkerEvents {
  const registers: Registry[] = [registry]
  const samples = new Counter({
    name: 'ratchet_eval_samples_total',
    help: 'Attempts at samples by outcome. `lost`: another worker took the sample over in the meantime.',
    labelNames: ['outcome'],
    registers,
  })
  const runs = new Counter({
    name: 'ratchet_eval_run_steps_total',
    help: 'Steps of evals by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const lines = new Counter({
    name: 'ratchet_batch_requests_total',
    help: 'Attempts at requests of batches by outcome. `lost`: another worker took the request over in the meantime.',
    labelNames: ['outcome'],
    registers,
  })
  const batches = new Counter({
    name: 'ratchet_batch_steps_total',
    help: 'Steps of batches by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(lines, 'outcome', ['answered', 'refused', 'lost', 'postponed', 'retried', 'dead_lettered'])
  startAtZero(batches, 'outcome', ['waiting', 'completed', 'expired', 'cancelled', 'failed', 'lost', 'retried'])
  startAtZero(samples, 'outcome', ['done', 'failed', 'lost', 'postponed', 'retried', 'dead_lettered'])
  startAtZero(runs, 'outcome', ['begun', 'waiting', 'done', 'failed', 'cancelled', 'lost', 'retried'])
  return {
    sample({ kind, sampleId, cause }) {
      samples.inc({ outcome: kind })
      if (kind === 'dead_lettered' || kind === 'retried') failWork(kind)
      if (kind === 'dead_lettered') {
        logger.error(
          { event: 'sample_dead_lettered', sampleId, err: cause },
          'sample dead-lettered after its last allowed failure',
        )
      }
      if (kind === 'retried') {
        logger.warn({ event: 'sample_retried', sampleId, err: cause }, 'sample failed and will be retried')
      }
    },
    run({ kind, runId, cause }) {
      runs.inc({ outcome: kind })
      if (cause === undefined) return
      failWork(kind)
      logger.error({ event: `eval_${kind}`, runId, err: cause }, 'a step of an eval failed')
    },
    batchLine({ kind, lineId, cause }) {
      lines.inc({ outcome: kind })
      if (kind !== 'dead_lettered' && kind !== 'retried') return
      failWork(kind)
      logger.warn({ event: `batch_request_${kind}`, lineId, err: cause }, 'an attempt at a request of a batch failed')
    },
    batch({ kind, batchId, cause }) {
      batches.inc({ outcome: kind })
      if (cause === undefined) return
      failWork(kind)
      logger.error({ event: `batch_${kind}`, batchId, err: cause }, 'a step of a batch failed')
    },
    doneEvent({ kind, rowId: runId }) {
      if (kind === 'refused') logger.error({ event: 'eval_done_refused', runId }, 'the alias service refused eval.done')
      if (kind === 'expired') logger.error({ event: 'eval_done_expired', runId }, 'eval.done expired after a day')
    },
    queueFailed: (cause) => logger.warn({ event: 'queue_failed', err: cause }, 'the queue is unavailable'),
    reconcileFailed: (cause) =>
      logger.warn({ event: 'reconcile_failed', err: cause }, 'could not search for overdue work; it waits'),
    purgeFailed: (cause) =>
      logger.error({ event: 'forgetting_failed', err: cause }, 'could not delete expired texts of samples'),
    webhooksFailed: (cause) => logger.warn({ event: 'webhooks_failed', err: cause }, 'webhook delivery failed'),
  }
}
