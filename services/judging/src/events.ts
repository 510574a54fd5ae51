import { Counter, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import { failWork } from '@ratchet/telemetry/spans'
import type { OutboxAttempt } from '@ratchet/work-kit/outbox/publish-outbox'
import type { Logger } from 'pino'
import type { JudgementEvent } from './judgements/process-judgement.ts'
import type { RunEvent } from './runs/advance-run.ts'

/** Logs and metrics of a worker. Logs name ids only, no content. */
export interface WorkerEvents {
  judgement(event: JudgementEvent): void
  run(event: RunEvent): void
  notice(attempt: OutboxAttempt): void
  queueFailed(cause: unknown): void
  reconcileFailed(cause: unknown): void
  /** `workspaceId` is null when the failure does not concern a single workspace. */
  monitorFailed(workspaceId: string | null, cause: unknown): void
  purgeFailed(cause: unknown): void
  driftFailed(criterionId: string, cause: unknown): void
}

export function createWorkerEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): WorkerEvents {
  const registers: Registry[] = [registry]
  const judgements = new Counter({
    name: 'ratchet_judgements_total',
    help: 'Attempts at judgements by outcome. `lost`: another worker took the judgement over in the meantime.',
    labelNames: ['outcome'],
    registers,
  })
  const runs = new Counter({
    name: 'ratchet_judge_run_steps_total',
    help: 'Steps of calibrations, scans and other runs by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const notices = new Counter({
    name: 'ratchet_judging_notices_total',
    help: 'Attempts to publish webhook events about judges, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(judgements, 'outcome', ['verdict', 'no_verdict', 'lost', 'postponed', 'retried', 'dead_lettered'])
  startAtZero(runs, 'outcome', ['waiting', 'done', 'failed', 'lost', 'retried'])
  startAtZero(notices, 'outcome', ['taken', 'refused', 'waiting', 'expired'])
  return {
    judgement({ kind, judgementId, cause }) {
      judgements.inc({ outcome: kind })
      if (kind === 'dead_lettered' || kind === 'retried') failWork(kind)
      if (kind === 'dead_lettered') {
        logger.error(
          { event: 'judgement_dead_lettered', judgementId, err: cause },
          'judgement dead-lettered after its last allowed failure',
        )
      }
      if (kind === 'retried')
        logger.warn({ event: 'judgement_retried', judgementId, err: cause }, 'judgement will be retried')
    },
    run({ kind, runId, cause }) {
      runs.inc({ outcome: kind })
      if (cause !== undefined) failWork(kind)
      if (cause !== undefined) logger.error({ event: `run_${kind}`, runId, err: cause }, 'a step of a run failed')
    },
    notice({ kind, rowId: noticeId, cause }) {
      notices.inc({ outcome: kind })
      if (kind === 'waiting')
        logger.debug({ event: 'notice_waiting', noticeId, err: cause }, 'webhook event will be sent again')
      if (kind === 'refused')
        logger.error({ event: 'notice_refused', noticeId }, 'webhook event about a judge was refused')
      if (kind === 'expired')
        logger.error({ event: 'notice_expired', noticeId }, 'webhook event about a judge expired after 24 h')
    },
    queueFailed: (cause) => logger.warn({ event: 'queue_failed', err: cause }, 'the queue is unavailable'),
    monitorFailed: (workspaceId, cause) =>
      logger.warn({ event: 'monitor_failed', workspaceId, err: cause }, 'monitoring failed, will be retried'),
    purgeFailed: (cause) =>
      logger.error({ event: 'forgetting_failed', err: cause }, 'purging expired judgements failed'),
    driftFailed: (criterionId, cause) =>
      logger.error({ event: 'drift_check_failed', criterionId, err: cause }, 'a judge was not checked for drift'),
    reconcileFailed: (cause) =>
      logger.warn({ event: 'reconcile_failed', err: cause }, 'finding due work failed, will be retried'),
  }
}
