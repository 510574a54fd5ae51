import { Purpose } from '@ratchet/contracts/identity'
import { Counter, Gauge, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import { dialects } from '../wire/dialect.ts'
import type { AuditReport } from './audit-report.ts'
import type { LedgerEvent } from './ledger.ts'

/** What inference reports about money, with one function per fact. */
export interface LedgerEvents {
  ledger(event: LedgerEvent): void
  charged(kind: string, chargedNano: bigint): void
  audited(ledger: string, report: AuditReport): void
  auditFailed(ledger: string, cause: unknown): void
  /** Exposes how many settles wait for the database of a ledger, and how old its last audit is. */
  showLedger(ledger: string, waiting: () => number): void
}

const ledgerEventKinds: Readonly<Record<LedgerEvent['kind'], true>> = {
  late_post: true,
  write_off: true,
  orphaned_hold: true,
  orphaned_block: true,
  unknown_request: true,
  spill: true,
  spill_failed: true,
  replay: true,
}

export function createLedgerEvents(registry: Registry, logger: Logger): LedgerEvents {
  const registers = [registry]
  const events = new Counter({
    name: 'ratchet_ledger_events_total',
    help: 'Unusual events of the ledger: late posts, write-offs, orphaned holds and blocks, unknown requests, spills and replays.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(events, 'kind', Object.keys(ledgerEventKinds))
  const charges = new Counter({
    name: 'ratchet_ledger_charged_usd_total',
    help: 'Cost of settled requests, US dollars, by dialect, by internal purpose, training or voice. The ledger has the exact sums.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(charges, 'kind', [...dialects, ...Purpose.options, 'training', 'dedicated', 'voice'])
  return {
    ledger: ({ kind }) => events.inc({ kind }),
    charged: (kind, chargedNano) => charges.inc({ kind }, Number(chargedNano) / 1e9),
    ...auditEvents(registers, logger),
  }
}

function auditEvents(
  registers: Registry[],
  logger: Logger,
): Pick<LedgerEvents, 'audited' | 'auditFailed' | 'showLedger'> {
  const auditedAtMs = new Map<string, number>()
  const waitingIn = new Map<string, () => number>()
  const ledgerState = createLedgerGauges(registers)
  gauge(
    registers,
    'ratchet_ledger_audit_age_seconds',
    'Time since this process last audited the ledger, or started.',
    () => [...auditedAtMs].map(([ledger, atMs]) => [ledger, (performance.now() - atMs) / 1_000]),
  )
  gauge(registers, 'ratchet_ledger_settlements_waiting', 'Settlements and releases that wait for the database.', () =>
    [...waitingIn].map(([ledger, waiting]) => [ledger, waiting()]),
  )
  const failures = new Counter({
    name: 'ratchet_ledger_audit_failures_total',
    help: 'Audits of the ledger that failed.',
    registers,
  })
  return {
    audited(ledger, report) {
      auditedAtMs.set(ledger, performance.now())
      ledgerState.show(ledger, report)
      if (report.violations.length === 0) return
      const { violations } = report
      logger.error({ event: 'ledger_violation', ledger, violations }, 'a ledger invariant is violated')
    },
    auditFailed(ledger, cause) {
      failures.inc()
      logger.warn({ err: cause, ledger }, 'the ledger could not be audited')
    },
    showLedger(ledger, waiting) {
      // as if an audit had just succeeded, so that the age grows when none ever does
      auditedAtMs.set(ledger, performance.now())
      ledgerState.show(ledger, { violations: [], openRequests: 0, oldestOpenSeconds: 0, overdueRequests: 0 })
      waitingIn.set(ledger, waiting)
    },
  }
}

function createLedgerGauges(registers: Registry[]) {
  const plain = (name: string, help: string) => new Gauge({ name, help, registers, labelNames: ['ledger'] })
  const violations = plain('ratchet_ledger_invariant_violations', 'Rows that break a ledger invariant; must be 0.')
  const open = plain('ratchet_ledger_open_requests', 'Requests with an open hold.')
  const oldest = plain('ratchet_ledger_oldest_open_age_seconds', 'Age of the oldest open hold.')
  const overdue = plain('ratchet_ledger_overdue_requests', 'Open holds that are past their deadline.')
  return {
    show(ledger: string, report: Omit<AuditReport, 'heldNano' | 'writtenOffNano'>) {
      const violated = report.violations.reduce((sum, { count }) => sum + count, 0)
      violations.set({ ledger }, violated)
      open.set({ ledger }, report.openRequests)
      oldest.set({ ledger }, report.oldestOpenSeconds)
      overdue.set({ ledger }, report.overdueRequests)
    },
  }
}

type Readings = readonly (readonly [ledger: string, value: number])[]

function gauge(registers: Registry[], name: string, help: string, read: () => Readings): void {
  new Gauge({
    name,
    help,
    labelNames: ['ledger'],
    registers,
    collect() {
      for (const [ledger, value] of read()) this.set({ ledger }, value)
    },
  })
}
