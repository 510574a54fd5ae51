import { Counter, type ProcessMetrics, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import { failWork } from '@ratchet/telemetry/spans'
import type { Logger } from 'pino'
import type { JudgementEvent } from './judgements/process-judgement.ts'
import type { NoticeEvent } from './notices/publish-notices.ts'
import type { RunEvent } from './runs/advance-run.ts'

/** What a worker reports of its business: one function per kind of fact, ids only in logs. */
export interface WorkerEvents {
  judgement(event: JudgementEvent): void
  run(event: RunEvent): void
  notice(event: NoticeEvent): void
  queueFailed(cause: unknown): void
  reconcileFailed(cause: unknown): void
  /** Null where it was no single workspace's traffic. */
  monitorFailed(workspaceId: string | null, cause: unknown): void
  purgeFailed(cause: unknown): void
  driftFailed(criterionId: string, cause: unknown): void
}

export function createWorkerEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): WorkerEvents {
  const registers: Registry[] = [registry]
  const judgements = new Counter({
    name: 'judgements_total',
    help: 'Judgements by what became of them; `lost` ones were done by somebody else meanwhile.',
    labelNames: ['outcome'],
    registers,
  })
  const runs = new Counter({
    name: 'judge_run_steps_total',
    help: 'Steps of calibrations, scans and their like by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  const notices = new Counter({
    name: 'judging_notices_total',
    help: 'Times that webhooks were to be told of a judge, by what became of it.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(judgements, 'outcome', ['verdict', 'no_verdict', 'lost', 'postponed', 'retried', 'poisoned'])
  startAtZero(runs, 'outcome', ['waiting', 'done', 'failed', 'lost', 'retried'])
  startAtZero(notices, 'outcome', ['taken', 'refused', 'waiting', 'expired'])
  return {
    judgement({ kind, judgementId, cause }) {
      judgements.inc({ outcome: kind })
      if (kind === 'poisoned' || kind === 'retried') failWork(kind)
      if (kind === 'poisoned') logger.error({ event: 'judgement_poisoned', judgementId, err: cause }, 'given up')
      if (kind === 'retried') logger.warn({ event: 'judgement_retried', judgementId, err: cause }, 'to be tried again')
    },
    run({ kind, runId, cause }) {
      runs.inc({ outcome: kind })
      if (cause !== undefined) failWork(kind)
      if (cause !== undefined) logger.error({ event: `run_${kind}`, runId, err: cause }, 'a step of a run failed')
    },
    notice({ kind, noticeId, cause }) {
      notices.inc({ outcome: kind })
      if (kind === 'waiting') logger.debug({ event: 'notice_waiting', noticeId, err: cause }, 'to be told again')
      if (kind === 'refused') logger.error({ event: 'notice_refused', noticeId }, 'webhooks do not hear of a judge')
      if (kind === 'expired') logger.error({ event: 'notice_expired', noticeId }, 'nobody took it for a day')
    },
    queueFailed: (cause) => logger.warn({ event: 'queue_failed', err: cause }, 'the queue is away'),
    monitorFailed: (workspaceId, cause) =>
      logger.warn({ event: 'monitor_failed', workspaceId, err: cause }, 'fresh traffic waits to be judged'),
    purgeFailed: (cause) => logger.error({ event: 'forgetting_failed', err: cause }, 'judgements are kept too long'),
    driftFailed: (criterionId, cause) =>
      logger.error({ event: 'drift_check_failed', criterionId, err: cause }, 'a judge was not looked at'),
    reconcileFailed: (cause) => logger.warn({ event: 'reconcile_failed', err: cause }, 'work waits'),
  }
}
