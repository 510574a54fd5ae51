import { Counter, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import { failWork } from '@ratchet/telemetry/spans'
import type { Logger } from 'pino'
import type { EvalEvent } from './runs/advance-eval.ts'
import type { SampleEvent } from './samples/do-sample.ts'

/** What a worker reports of its business: one function per kind of fact, ids only in logs. */
export interface WorkerEvents {
  sample(event: SampleEvent): void
  run(event: EvalEvent): void
  queueFailed(cause: unknown): void
  reconcileFailed(cause: unknown): void
  forgettingFailed(cause: unknown): void
  /** Webhooks are never told that an eval is done. */
  doneRefused(runId: string): void
  webhooksFailed(cause: unknown): void
}

export function createWorkerEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): WorkerEvents {
  const registers: Registry[] = [registry]
  const samples = new Counter({
    name: 'eval_samples_total',
    help: 'Samples by what became of them; `lost` ones were done by somebody else meanwhile.',
    labelNames: ['outcome'],
    registers,
  })
  const runs = new Counter({
    name: 'eval_run_steps_total',
    help: 'Steps of evals by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(samples, 'outcome', ['done', 'failed', 'lost', 'postponed', 'retried', 'poisoned'])
  startAtZero(runs, 'outcome', ['begun', 'waiting', 'done', 'failed', 'cancelled', 'lost', 'retried'])
  return {
    sample({ kind, sampleId, cause }) {
      samples.inc({ outcome: kind })
      if (kind === 'poisoned' || kind === 'retried') failWork(kind)
      if (kind === 'poisoned') logger.error({ event: 'sample_poisoned', sampleId, err: cause }, 'given up')
      if (kind === 'retried') logger.warn({ event: 'sample_retried', sampleId, err: cause }, 'to be tried again')
    },
    run({ kind, runId, cause }) {
      runs.inc({ outcome: kind })
      if (cause !== undefined) failWork(kind)
      if (cause !== undefined) logger.error({ event: `eval_${kind}`, runId, err: cause }, 'a step of an eval failed')
    },
    doneRefused: (runId) => logger.error({ event: 'eval_done_refused', runId }, 'webhooks are not told of an eval'),
    queueFailed: (cause) => logger.warn({ event: 'queue_failed', err: cause }, 'the queue is away'),
    reconcileFailed: (cause) => logger.warn({ event: 'reconcile_failed', err: cause }, 'work waits'),
    forgettingFailed: (cause) =>
      logger.error({ event: 'forgetting_failed', err: cause }, 'texts of samples are kept too long'),
    webhooksFailed: (cause) => logger.warn({ event: 'webhooks_failed', err: cause }, 'somebody waits to be told'),
  }
}
