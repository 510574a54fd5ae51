import type { LedgerAudit } from '@ratchet/contracts/internal-ledgers'
import type { z } from 'zod'
import type { LedgerVerdict } from './sharded-accounts.ts'

export function auditReply({
  name,
  auditedAt,
  checked,
  report,
}: LedgerVerdict & { readonly name: string }): z.input<typeof LedgerAudit> {
  return {
    ledger: name,
    audited_at: auditedAt.toISOString(),
    checked,
    violations: report.violations.map((violation) => ({ ...violation })),
    open_requests: report.openRequests,
    oldest_open_seconds: report.oldestOpenSeconds,
    overdue_requests: report.overdueRequests,
    held_nano: String(report.heldNano),
    written_off_nano: String(report.writtenOffNano),
  }
}
