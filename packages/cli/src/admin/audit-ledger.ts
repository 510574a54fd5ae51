import { formatUsd, nanoToUsd } from '@ratchet/contracts/money'
import { auditDedicated, dedicatedRules } from '@ratchet/db/audit-dedicated'
import { auditLedger, type LedgerAudit, type LedgerViolation, ledgerInvariants } from '@ratchet/db/audit-ledger'
import { auditTraining, trainingRules } from '@ratchet/db/audit-training'
import { auditVoice, voiceRules } from '@ratchet/db/audit-voice'
import type { Pool } from '@ratchet/db/connect-pool'
import { mainLedger } from '@ratchet/db/ledger-urls'
import { type Answer, formatTable } from '../answer.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'

/** The audit reads whole tables, which takes long for large ones. */
const queryTimeoutMs = 3_600_000

export function auditLedgerCommand({ admin, run }: AdminCommands): void {
  admin
    .command('audit')
    .description(
      'Check the invariants of every ledger, and what training and calls were charged. Exit code 1 when one is violated.',
    )
    .action(() => run(work, { queryTimeoutMs }))
}

/** Of what training and dedicated endpoints are charged. */
const rules = [...trainingRules, ...dedicatedRules]

/** The audit of one ledger. */
interface NamedAudit extends LedgerAudit {
  readonly name: string
}

async function work(deps: AdminDeps): Promise<Answer> {
  const audits: NamedAudit[] = []
  const pools: Pick<Pool, 'query'>[] = []
  for (const name of await usedLedgers(deps)) {
    const { pool } = await deps.openLedger(name)
    pools.push(pool)
    audits.push({ name, ...(await auditLedger(pool, name)) })
  }
  const training = [...(await auditTraining(deps.pool, pools)), ...(await auditDedicated(deps.pool, pools))]
  const [main] = audits
  const voice = await auditVoice(deps.pool, pools)
  const isCorrect =
    training.length === 0 && voice.length === 0 && audits.every(({ violations }) => violations.length === 0)
  const trainingJson = { checked: rules.length, violations: training }
  const voiceJson = { checked: voiceRules.length, violations: voice }
  const ledgersJson = audits.length === 1 && main !== undefined ? toJson(main) : { ledgers: audits.map(toNamedJson) }
  return {
    json: { ...ledgersJson, ok: isCorrect, training: trainingJson, voice: voiceJson },
    text: [
      ...audits.map((audit) => [describe(audit), '', formatTable(numbersOf(audit))].join('\n')),
      describeRules('training is', rules.length, training),
      describeRules('calls are', voiceRules.length, voice),
    ].join('\n\n'),
    ...(isCorrect ? {} : { exitCode: 1 as const }),
  }
}

/** The ledgers that the settings name or a workspace has: one that cannot be audited must not be left out. */
async function usedLedgers({ pool, ledgerNames }: AdminDeps): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ ledger: string }>('SELECT DISTINCT ledger FROM workspace')
  return new Set([...ledgerNames, ...rows.map(({ ledger }) => ledger).sort()])
}

function describe({ name, violations }: NamedAudit): string {
  const checked = `${ledgerInvariants.length} invariants`
  const ledger = name === mainLedger ? 'the ledger' : `the ledger ${name}`
  if (violations.length === 0) return `${ledger} is correct: ${checked} hold`
  const heading = `${ledger} is wrong: ${violations.length} of ${checked} are violated`
  return [heading, '', formatTable([['INVARIANT', 'VIOLATED', 'FOR EXAMPLE'], ...rowsOf(violations)])].join('\n')
}

function describeRules(what: string, count: number, violations: readonly LedgerViolation[]): string {
  const checked = `${count} rules`
  if (violations.length === 0) return `${what} charged correctly: ${checked} hold`
  const heading = `${what} charged wrongly: ${violations.length} of ${checked} are violated`
  return [heading, '', formatTable([['RULE', 'VIOLATED', 'FOR EXAMPLE'], ...rowsOf(violations)])].join('\n')
}

function rowsOf(violations: readonly LedgerViolation[]): readonly string[][] {
  return violations.map(({ invariant, count, example }) => [invariant, String(count), example])
}

function numbersOf({ openRequests, oldestOpenSeconds, overdueRequests, heldNano, writtenOffNano }: LedgerAudit) {
  return [
    ['open requests', `${openRequests}, the oldest for ${Math.round(oldestOpenSeconds)} s`],
    ['overdue', `${overdueRequests} (more than a minute after their deadline; the sweeper should have closed them)`],
    ['held', `${formatUsd(heldNano)} USD`],
    ['written off', `${formatUsd(writtenOffNano)} USD (cost above holds, not charged to any wallet)`],
  ]
}

function toNamedJson(audit: NamedAudit): Record<string, unknown> {
  return { ledger: audit.name, ...toJson(audit) }
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
