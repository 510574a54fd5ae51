import { formatUsd, nanoToUsd } from '@ratchet/contracts/money'
import { auditLedger, type LedgerAudit, ledgerInvariants } from '@ratchet/db/audit-ledger'
import { type Answer, formatTable } from '../answer.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'

/** The audit reads whole tables, which takes long for large ones. */
const queryTimeoutMs = 3_600_000

export function auditLedgerCommand({ admin, run }: AdminCommands): void {
  admin
    .command('audit')
    .description('Check the ledger invariants, as inference does periodically. Exit code 1 when one is violated.')
    .action(() => run(work, { queryTimeoutMs }))
}

async function work({ pool }: AdminDeps): Promise<Answer> {
  const audit = await auditLedger(pool)
  return {
    json: toJson(audit),
    text: [describe(audit), '', formatTable(numbersOf(audit))].join('\n'),
    ...(audit.violations.length === 0 ? {} : { exitCode: 1 as const }),
  }
}

function describe({ violations }: LedgerAudit): string {
  const checked = `${ledgerInvariants.length} invariants`
  if (violations.length === 0) return `the ledger is correct: ${checked} hold`
  const rows = violations.map(({ invariant, count, example }) => [invariant, String(count), example])
  const heading = `the ledger is wrong: ${violations.length} of ${checked} are violated`
  return [heading, '', formatTable([['INVARIANT', 'VIOLATED', 'FOR EXAMPLE'], ...rows])].join('\n')
}

function numbersOf({ openRequests, oldestOpenSeconds, overdueRequests, heldNano, writtenOffNano }: LedgerAudit) {
  return [
    ['open requests', `${openRequests}, the oldest for ${Math.round(oldestOpenSeconds)} s`],
    ['overdue', `${overdueRequests} (more than a minute after their deadline; the sweeper should have closed them)`],
    ['held', `${formatUsd(heldNano)} USD`],
    ['written off', `${formatUsd(writtenOffNano)} USD (cost above holds, not charged to any wallet)`],
  ]
}

function toJson(audit: LedgerAudit): Record<string, unknown> {
  return {
    ok: audit.violations.length === 0,
    checked: ledgerInvariants.length,
    violations: audit.violations,
    open_requests: audit.openRequests,
    oldest_open_seconds: audit.oldestOpenSeconds,
    overdue_requests: audit.overdueRequests,
    held_usd: nanoToUsd(audit.heldNano),
    written_off_usd: nanoToUsd(audit.writtenOffNano),
  }
}
