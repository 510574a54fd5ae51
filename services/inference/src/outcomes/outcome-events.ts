import { Counter, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { OutcomeEvent } from './report-outcomes.ts'

/** Counts rows and counts of requests that are not stored, and logs why. */
export function outcomeEvents(registry: Registry, logger: Logger): (event: OutcomeEvent) => void {
  const lost = new Counter({
    name: 'ratchet_request_outcomes_lost_total',
    help: 'Rows of failed requests that did not fit into memory (dropped), and reports that Postgres refused.',
    labelNames: ['reason'],
    registers: [registry],
  })
  startAtZero(lost, 'reason', ['dropped', 'refused'])
  return (event) => {
    switch (event.kind) {
      case 'dropped':
        return lost.inc({ reason: 'dropped' })
      case 'refused':
        lost.inc({ reason: 'refused' })
        return logger.error({ event: 'outcomes_refused', err: event.cause }, 'counts of requests could not be stored')
      case 'unavailable':
        return logger.warn({ err: event.cause }, 'counts of requests wait for Postgres')
      case 'recovered':
        return logger.info('counts of requests are stored again')
    }
  }
}
