import type { LedgerVerdict } from '../billing/sharded-accounts.ts'
import type { AuditReport } from './audit-report.ts'

export interface AuditDeps {
  readonly audit: () => Promise<AuditReport>
  /** Number of invariants that it checks. */
  readonly checked: number
  readonly now: () => Date
  readonly onAudit: (report: AuditReport) => void
}

/** The audits of a ledger by this process. Two at once are one, because an audit reads whole tables. */
export function createAudits({ audit, checked, now, onAudit }: AuditDeps) {
  let last: LedgerVerdict | null = null
  let running: Promise<LedgerVerdict> | null = null
  const run = async (): Promise<LedgerVerdict> => {
    const report = await audit()
    last = { agree: report.violations.length === 0, auditedAt: now(), report, checked }
    onAudit(report)
    return last
  }
  const again = (): Promise<LedgerVerdict> => {
    running ??= run().finally(() => {
      running = null
    })
    return running
  }
  return { again, last: () => last, lastOrNow: async () => last ?? (await again()) }
}
