import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { OnStop } from '@ratchet/service-kit/run-process'
import type { AuditReport } from './audit-report.ts'
import type { InferenceEvents } from '../events.ts'

export interface WatchBooksOptions {
  readonly ledger: { audit(): Promise<AuditReport> }
  readonly events: Pick<InferenceEvents, 'audited' | 'auditFailed'>
  readonly everyMs: number
  readonly onStop: OnStop
}

/** Audits the ledger again and again and reports what it finds: a violation is an alarm. */
export function watchBooks({ ledger, events, everyMs, onStop }: WatchBooksOptions): void {
  const audit = async () => events.audited(await ledger.audit())
  onStop(repeatEvery({ everyMs, work: audit, onError: events.auditFailed }))
}
