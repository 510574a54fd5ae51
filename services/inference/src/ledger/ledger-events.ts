import { Purpose } from '@ratchet/contracts/identity'
import { Counter, Gauge, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { dialects } from '../wire/dialect.ts'
import type { AuditReport } from './audit-report.ts'
import type { LedgerEvent } from './ledger.ts'

/** What inference reports of money: one function per fact. */
export interface LedgerEvents {
  ledger(event: LedgerEvent): void
  charged(kind: string, chargedNano: bigint): void
  audited(report: AuditReport): void
  auditFailed(cause: unknown): void
  /** Shows how many settles wait for the database. */
  showWaiting(waiting: () => number): void
}

const ledgerEventKinds: Readonly<Record<LedgerEvent['kind'], true>> = {
  late_post: true,
  write_off: true,
  orphaned_hold: true,
  unknown_request: true,
  spill: true,
  spill_failed: true,
  replay: true,
}

export function createLedgerEvents(registry: Registry, logger: Logger): LedgerEvents {
  const registers = [registry]
  const events = new Counter({
    name: 'ledger_events_total',
    help: 'Late posts, write-offs, orphaned holds, spills and replays.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(events, 'kind', Object.keys(ledgerEventKinds))
  const charges = new Counter({
    name: 'ledger_charged_usd_total',
    help: 'What settled requests cost their workspaces, by dialect, or by what the fleet asked for; for people, not for books.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(charges, 'kind', [...dialects, ...Purpose.options])
  return {
    ledger: ({ kind }) => events.inc({ kind }),
    charged: (kind, chargedNano) => charges.inc({ kind }, Number(chargedNano) / 1e9),
    ...auditEvents(registers, logger),
    showWaiting(waiting) {
      gauge(registers, 'ledger_settles_waiting', 'Settles and releases that wait for the database.', waiting)
    },
  }
}

function auditEvents(registers: Registry[], logger: Logger): Pick<LedgerEvents, 'audited' | 'auditFailed'> {
  /** As if the books had been right when the process began, so that an audit that never succeeds grows old. */
  let auditedAtMs = performance.now()
  const ledgerState = createBookGauges(registers)
  const ageSeconds = () => (performance.now() - auditedAtMs) / 1_000
  gauge(registers, 'ledger_audit_age_seconds', 'Since this process last audited the books, or began.', ageSeconds)
  const failures = new Counter({
    name: 'ledger_audit_failures_total',
    help: 'Audits of the books that could not be made.',
    registers,
  })
  return {
    audited(report) {
      auditedAtMs = performance.now()
      ledgerState.show(report)
      if (report.violations.length === 0) return
      logger.error({ event: 'ledger_violation', violations: report.violations }, 'the books are wrong')
    },
    auditFailed(cause) {
      failures.inc()
      logger.warn({ err: cause }, 'the ledger could not be audited')
    },
  }
}

function createBookGauges(registers: Registry[]) {
  const plain = (name: string, help: string) => new Gauge({ name, help, registers })
  const violations = plain('ledger_invariant_violations', 'Rows of the books that break an invariant; must be 0.')
  const open = plain('ledger_open_requests', 'Requests that hold money.')
  const oldest = plain('ledger_oldest_open_seconds', 'Age of the oldest of them.')
  const overdue = plain('ledger_overdue_requests', 'Those that somebody should have closed.')
  return {
    show(report: AuditReport) {
      violations.set(report.violations.reduce((sum, { count }) => sum + count, 0))
      open.set(report.openRequests)
      oldest.set(report.oldestOpenSeconds)
      overdue.set(report.overdueRequests)
    },
  }
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read())
    },
  })
}
