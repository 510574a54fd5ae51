import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { OnStop } from '@ratchet/service-kit/run-process'
import type { AuditReport } from './audit-report.ts'
import type { LedgerEvents } from './ledger-events.ts'

export interface PeriodicAuditOptions {
  readonly ledger: { audit(): Promise<AuditReport> }
  readonly events: Pick<LedgerEvents, 'audited' | 'auditFailed'>
  readonly everyMs: number
  readonly onStop: OnStop
}

/** Audits the ledger at an interval and reports the result: a violated invariant raises an alarm. */
export function auditLedgerPeriodically({ ledger, events, everyMs, onStop }: PeriodicAuditOptions): void {
  const audit = async () => events.audited(await ledger.audit())
  onStop(repeatEvery({ everyMs, work: audit, onError: events.auditFailed }))
}
