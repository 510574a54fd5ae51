import { Counter, Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { LedgerEvent } from './domain/ledger.ts'
import type { ActiveExchanges } from './exchange/active-exchanges.ts'
import type { ProviderChatRequest, ProviderFailure } from './providers/provider.ts'

/** What inference reports of its business: one function per fact, a counter each, ids only in logs. */
export interface InferenceEvents {
  ledger(event: LedgerEvent): void
  retry(request: ProviderChatRequest, failure: ProviderFailure): void
}

export function createEvents({ registry }: ProcessMetrics, logger: Logger, active: ActiveExchanges): InferenceEvents {
  const registers = [registry]
  const ledgerEvents = new Counter({
    name: 'ledger_events_total',
    help: 'Late posts, write-offs, orphaned holds, spills and replays.',
    labelNames: ['kind'],
    registers,
  })
  const retries = new Counter({
    name: 'provider_retries_total',
    help: 'Provider calls tried again before their first byte.',
    labelNames: ['provider', 'reason'],
    registers,
  })
  new Gauge({
    name: 'active_streams',
    help: 'Streams being written to clients.',
    registers,
    collect() {
      this.set(active.size)
    },
  })
  return {
    ledger(event) {
      ledgerEvents.inc({ kind: event.kind })
      logger.warn({ event: `ledger_${event.kind}`, requestId: event.requestId }, 'ledger event')
    },
    retry({ requestId, model }, { kind, message }) {
      retries.inc({ provider: model.provider, reason: kind })
      logger.info({ event: 'provider_retry', requestId, model: model.id, reason: kind }, message)
    },
  }
}
