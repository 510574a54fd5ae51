import { Counter, type ProcessMetrics, startAtZero } from '@ratchet/telemetry/metrics'
import { failWork } from '@ratchet/telemetry/spans'
import type { Logger } from 'pino'
import type { EvaluationEvent } from './gate/evaluate-alias.ts'
import type { ShadowEvent } from './shadows/mirror-request.ts'

/** Reports gate evaluations and shadow requests as metrics and log lines. Log lines hold ids and never texts of users. */
export interface WorkerEvents {
  evaluation(event: EvaluationEvent): void
  shadow(event: ShadowEvent): void
  evaluationsFailed(cause: unknown): void
  shadowsFailed(cause: unknown): void
  purgeFailed(cause: unknown): void
}

export function createWorkerEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): WorkerEvents {
  const registers = [registry]
  const evaluations = new Counter({
    name: 'ratchet_gate_evaluations_total',
    help: 'Gate evaluations by outcome. `lost`: the alias was changed in the meantime.',
    labelNames: ['outcome'],
    registers,
  })
  const evidenceFailures = new Counter({
    name: 'ratchet_gate_evidence_failures_total',
    help: 'Failed reads of evidence (judge, log, verdicts) during gate evaluations.',
    registers,
  })
  const shadows = new Counter({
    name: 'ratchet_shadow_requests_total',
    help: 'Attempts at shadow requests by outcome. `lost`: another worker took the request over in the meantime.',
    labelNames: ['outcome'],
    registers,
  })
  startAtZero(evaluations, 'outcome', ['evaluated', 'acted', 'restarted', 'lost'])
  startAtZero(shadows, 'outcome', ['answered', 'unanswered', 'lost', 'postponed', 'retried', 'dead_lettered'])
  return {
    evaluation({ kind, aliasId, state, cause }) {
      if (kind === 'failed') evidenceFailures.inc()
      else evaluations.inc({ outcome: kind })
      if (kind === 'failed') failWork(kind)
      if (kind === 'acted') logger.info({ event: 'gate_acted', aliasId, state }, 'a gate moved traffic')
      if (kind === 'failed')
        logger.warn(
          { event: 'gate_evidence_failed', aliasId, err: cause },
          'a gate evaluation could not read all its evidence',
        )
    },
    shadow({ kind, shadowId, cause }) {
      shadows.inc({ outcome: kind })
      if (kind === 'dead_lettered' || kind === 'retried') failWork(kind)
      if (kind === 'dead_lettered') {
        logger.error(
          { event: 'shadow_dead_lettered', shadowId, err: cause },
          'shadow request dead-lettered after its last allowed failure',
        )
      }
    },
    evaluationsFailed: (cause) =>
      logger.warn({ event: 'gate_evaluations_failed', err: cause }, 'gate evaluations failed and are retried'),
    shadowsFailed: (cause) =>
      logger.warn({ event: 'shadows_failed', err: cause }, 'shadow requests failed and are retried'),
    purgeFailed: (cause) => logger.warn({ event: 'forgetting_failed', err: cause }, 'old counts could not be deleted'),
  }
}
