import { Counter, type ProcessMetrics, startAtZero } from '@ratchet/telemetry/metrics'
import { failWork } from '@ratchet/telemetry/spans'
import type { Logger } from 'pino'
import type { EvaluationEvent } from './gate/evaluate-alias.ts'
import type { ShadowEvent } from './shadows/mirror-request.ts'

/** What a worker reports of aliases: one function per kind of fact, ids only in logs. */
export interface WorkerEvents {
  evaluation(event: EvaluationEvent): void
  shadow(event: ShadowEvent): void
  evaluationsFailed(cause: unknown): void
  shadowsFailed(cause: unknown): void
  forgettingFailed(cause: unknown): void
}

export function createWorkerEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): WorkerEvents {
  const registers = [registry]
  const evaluations = new Counter({
    name: 'gate_looks_total',
    help: 'Looks at aliases by what became of them; what could not be asked counts as `failed` beside.',
    labelNames: ['outcome'],
    registers,
  })
  const shadows = new Counter({
    name: 'shadow_requests_total',
    help: 'Mirrored requests by what became of them.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(evaluations, 'outcome', ['looked', 'acted', 'restarted', 'lost', 'failed'])
  startAtZero(shadows, 'outcome', ['answered', 'unanswered', 'lost', 'postponed', 'retried', 'poisoned'])
  return {
    evaluation({ kind, aliasId, state, cause }) {
      evaluations.inc({ outcome: kind })
      if (kind === 'failed') failWork(kind)
      if (kind === 'acted') logger.info({ event: 'gate_acted', aliasId, state }, 'a gate moved traffic')
      if (kind === 'failed')
        logger.warn(
          { event: 'gate_look_failed', aliasId, err: cause },
          'a gate evaluation could not read all its evidence',
        )
    },
    shadow({ kind, shadowId, cause }) {
      shadows.inc({ outcome: kind })
      if (kind === 'poisoned' || kind === 'retried') failWork(kind)
      if (kind === 'poisoned') logger.error({ event: 'shadow_poisoned', shadowId, err: cause }, 'given up')
    },
    evaluationsFailed: (cause) =>
      logger.warn({ event: 'gate_looks_failed', err: cause }, 'gate evaluations failed and are retried'),
    shadowsFailed: (cause) =>
      logger.warn({ event: 'shadows_failed', err: cause }, 'shadow requests failed and are retried'),
    forgettingFailed: (cause) =>
      logger.warn({ event: 'forgetting_failed', err: cause }, 'old counts could not be deleted'),
  }
}
