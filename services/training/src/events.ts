import { Counter, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { OutboxAttempt } from '@ratchet/work-kit/outbox/publish-outbox'
import type { Logger } from 'pino'
import { createDedicatedEvents, type DedicatedEvents } from './dedicated/events.ts'
import type { DriverEvent } from './driver/advance-job.ts'
import type { TrainerEvent } from './driver/reconcile-trainers.ts'
import { type PoolEvent, poolEvents } from './pool/pool-work.ts'

/** Reports what a worker does as metrics and log lines. Log lines hold ids and never texts of users. */
export interface WorkerEvents extends DedicatedEvents {
  job(event: DriverEvent): void
  trainer(event: TrainerEvent): void
  pool(event: PoolEvent): void
  poolFailed(cause: unknown): void
  trainersFailed(cause: unknown): void
  attemptFailed(cause: unknown): void
  databaseFailed(cause: unknown): void
  roundFailed(roundId: string, cause: unknown): void
  distillationFailed(id: string, cause: unknown): void
  sweepFailed(cause: unknown): void
  holdLost(jobId: string): void
  holdsFailed(cause: unknown): void
  judgingFailed(cause: unknown): void
  /** Evals that jobs want could not be started. */
  evalsFailed(cause: unknown): void
  /** An attempt to publish an event to the webhooks of a workspace. */
  notice(attempt: OutboxAttempt): void
}

export function createWorkerEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): WorkerEvents {
  const registers: Registry[] = [registry]
  const steps = new Counter({
    name: 'ratchet_training_job_steps_total',
    help: 'Steps of fine-tuning jobs. `failed`: a step that is taken again.',
    labelNames: ['step'],
    registers,
  })
  const trainers = new Counter({
    name: 'ratchet_training_trainers_ended_total',
    help: 'Trainers that ran without an attempt, and trainers that exited without a result.',
    labelNames: ['kind'],
    registers,
  })
  const pool = new Counter({
    name: 'ratchet_pool_changes_total',
    help: 'Changes of the engines of the pool and their adapters. `rejected`: an adapter whose answers were not those of its trainer.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(pool, 'kind', [...poolEvents])
  startAtZero(steps, 'step', ['start_attempt', 'end_attempt', 'charge', 'settle', 'pause', 'end', 'failed'])
  startAtZero(trainers, 'kind', ['orphan_stopped', 'exited'])
  return {
    ...createDedicatedEvents(registers, logger),
    job(event) {
      steps.inc({ step: event.kind === 'step' ? event.step : 'failed' })
      if (event.kind === 'step') return
      logger.error({ event: 'training_step_failed', jobId: event.jobId, err: event.error }, 'a step of a job failed')
    },
    trainer({ kind, trainer, name, exitCode }) {
      trainers.inc({ kind })
      logger.warn({ event: `trainer_${kind}`, trainer, name, exitCode }, 'a trainer and its attempt differed')
    },
    pool({ kind, replica, version: versionId, error: cause }) {
      pool.inc({ kind })
      const entry = { event: `pool_${kind}`, replica, versionId, ...(cause === undefined ? {} : { err: cause }) }
      if (isBad(kind)) logger.warn(entry, 'the pool is not as it should be')
      else logger.info(entry, 'the pool has changed')
    },
    poolFailed: (cause) => logger.error({ event: 'pool_not_compared', err: cause }, 'the pool could not be compared'),
    attemptFailed: (cause) =>
      logger.error({ event: 'provider_attempt_failed', err: cause }, 'a job of a provider could not be followed'),
    trainersFailed: (cause) =>
      logger.error(
        { event: 'trainers_not_compared', err: cause },
        'trainers could not be compared with their attempts',
      ),
    roundFailed: (roundId, cause) =>
      logger.error({ event: 'raft_step_failed', roundId, err: cause }, 'a step of a round failed'),
    distillationFailed: (datasetId, cause) =>
      logger.error({ event: 'distillation_step_failed', datasetId, err: cause }, 'a step of a distillation failed'),
    judgingFailed: (cause) => logger.error({ event: 'grpo_step_failed', err: cause }, 'a step of a run was not judged'),
    databaseFailed: (cause) => logger.warn({ event: 'jobs_not_read', err: cause }, 'jobs could not be read'),
    sweepFailed: (cause) => logger.error({ event: 'artifact_sweep_failed', err: cause }, 'artifacts were not swept'),
    holdLost: (jobId) => logger.error({ event: 'training_hold_lost', jobId }, 'the hold of a job is not open any more'),
    holdsFailed: (cause) =>
      logger.warn({ event: 'training_holds_failed', err: cause }, 'holds were not kept this time'),
    evalsFailed: (cause) => logger.warn({ event: 'after_evals_failed', err: cause }, 'evals of jobs wait'),
    notice({ kind, rowId: noticeId }) {
      if (kind === 'refused')
        logger.error({ event: 'training_notice_refused', noticeId }, 'the alias service refused an event')
      if (kind === 'expired')
        logger.error({ event: 'training_notice_expired', noticeId }, 'an event expired after a day')
    },
  }
}

function isBad(kind: PoolEvent['kind']): boolean {
  return kind === 'orphan_stopped' || kind === 'replica_lost' || kind === 'rejected' || kind === 'failed'
}
