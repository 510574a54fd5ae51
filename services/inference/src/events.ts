import { Counter, Gauge, type ProcessMetrics, type Registry } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { AuditReport } from './domain/audit-report.ts'
import type { LedgerEvent } from './domain/ledger.ts'
import type { ActiveExchanges } from './exchange/active-exchanges.ts'
import type { ProviderChatRequest, ProviderFailure } from './providers/provider.ts'

/** What inference reports of its business: one function per fact, a counter each, ids only in logs. */
export interface InferenceEvents {
  ledger(event: LedgerEvent): void
  audited(report: AuditReport): void
  auditFailed(cause: unknown): void
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
  const books = createBookGauges(registers)
  return {
    ledger(event) {
      ledgerEvents.inc({ kind: event.kind })
    },
    audited(report) {
      books.show(report)
      if (report.violations.length === 0) return
      logger.error({ event: 'ledger_violation', violations: report.violations }, 'the books are wrong')
    },
    auditFailed(cause) {
      logger.warn({ err: cause }, 'the ledger could not be audited')
    },
    retry({ requestId, model }, { kind, message }) {
      retries.inc({ provider: model.provider, reason: kind })
      logger.info({ event: 'provider_retry', requestId, model: model.id, reason: kind }, message)
    },
  }
}

function createBookGauges(registers: Registry[]) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const violations = gauge('ledger_invariant_violations', 'Rows of the books that break an invariant; must be 0.')
  const open = gauge('ledger_open_requests', 'Requests that hold money.')
  const oldest = gauge('ledger_oldest_open_seconds', 'Age of the oldest of them.')
  const overdue = gauge('ledger_overdue_requests', 'Those that somebody should have closed.')
  return {
    show(report: AuditReport) {
      violations.set(report.violations.reduce((sum, { count }) => sum + count, 0))
      open.set(report.openRequests)
      oldest.set(report.oldestOpenSeconds)
      overdue.set(report.overdueRequests)
    },
  }
}
