import {
  listLedger,
  listTopUps,
  readSessionWallet,
  readStatement,
  readUsage,
  receivePayment,
  setWalletAlert,
  startTopUp,
  type UsageGroup,
} from '@ratchet/contracts/billing'
import { correctWallet, creditWallet } from '@ratchet/contracts/internal-credits'
import { listCredits, readLedgerAudits } from '@ratchet/contracts/internal-ledgers'
import { pageReply } from '@ratchet/contracts/page'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { sendCsv } from '@ratchet/service-kit/http/send-csv'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { EndUserStore } from '../end-users/pg-end-users.ts'
import { topUpReply } from '../payments/top-up-reply.ts'
import type { TopUps } from '../payments/top-ups.ts'
import type { WalletAlerts } from '../wallet-alerts/wallet-alert.ts'
import type { UsageWithDays } from './accounts.ts'
import { auditReply } from './audit-reply.ts'
import { cursorOf, readCursor } from './cursor.ts'
import { monthOf, periodOf, wholeHours } from './periods.ts'
import type { CreditList } from './pg-credits.ts'
import { entryReply, ledgerCsv, statementCsv, statementReply, usageCsv, usageReply, walletReply } from './reply.ts'
import type { AllAccounts } from './sharded-accounts.ts'

export interface BillingRouteDeps {
  readonly accounts: AllAccounts
  readonly topUps: TopUps
  readonly alerts: WalletAlerts
  readonly credits: CreditList
  readonly endUsersByNumber: Pick<EndUserStore, 'names'>
  readonly now: () => Date
}

const maxPage = 200
const maxCsvRows = 10_000

/** What people see and do about money. Only sessions reach these routes, and only owners most of them. */
export function billingRoutes(router: Router, deps: BillingRouteDeps): void {
  walletRoutes(router, deps)
  ledgerRoutes(router, deps)
  topUpRoutes(router, deps)
  operatorRoutes(router, deps)
}

function walletRoutes(router: Router, { accounts, topUps, alerts }: BillingRouteDeps): void {
  mount(router, readSessionWallet, async ({ identity: { workspaceId } }) => {
    const [wallet, audit, alert] = await Promise.all([
      accounts.wallet(workspaceId),
      accounts.lastAudit(workspaceId),
      alerts.read(workspaceId),
    ])
    return walletReply({ wallet, audit, alert, topUps: topUps.kind })
  })
  mountJson(router, setWalletAlert, async ({ body, identity: { workspaceId, userId } }) => {
    const { threshold_nano } = body
    const thresholdNano = threshold_nano === null ? null : BigInt(threshold_nano)
    if (thresholdNano !== null && thresholdNano > maxThresholdNano) {
      throw invalidRequest('threshold_nano', 'This must be at most 10^18 nano-dollars.')
    }
    await alerts.set({ workspaceId, userId, thresholdNano })
    return { reply: { threshold_nano } }
  })
}

const maxThresholdNano = 10n ** 18n

/** The ledger has numbers of end users. */
async function withNames(
  { endUsersByNumber }: BillingRouteDeps,
  workspaceId: string,
  { report, groupBy }: { readonly report: UsageWithDays; readonly groupBy: UsageGroup },
): Promise<UsageWithDays> {
  if (groupBy !== 'user') return report
  const ids = [...report.groups, ...report.days].flatMap(({ group }) => group ?? [])
  const names = await endUsersByNumber.names(workspaceId, [...new Set(ids)])
  const named = <Part extends { readonly group: string | null }>(part: Part): Part =>
    part.group === null ? part : { ...part, group: names.get(part.group) ?? part.group }
  return { ...report, groups: report.groups.map(named), days: report.days.map(named) }
}

function ledgerRoutes(router: Router, deps: BillingRouteDeps): void {
  const { accounts, now } = deps

  mountRaw(router, listLedger, async ({ query, identity: { workspaceId } }, response) => {
    const isCsv = query.format === 'csv'
    const { limit = isCsv ? maxCsvRows : 50, after } = query
    if (!isCsv && limit > maxPage) throw invalidRequest('limit', `This must be at most ${maxPage} without format=csv.`)
    const place = after === undefined ? null : readCursor(after, /^[1-9]\d{0,17}$/)
    const entries = await accounts.entries(workspaceId, {
      ...periodOf(query, now(), 30),
      after: place && { at: place.at, id: BigInt(place.id) },
      limit,
    })
    if (isCsv) return sendCsv(response, 'ledger.csv', ledgerCsv(entries))
    const last = entries.at(-1)
    const next = entries.length < limit || last === undefined ? null : cursorOf(last)
    response.json(listLedger.reply.parse({ object: 'list', data: entries.map(entryReply), next }))
  })
  mountRaw(router, readUsage, async ({ query, identity: { workspaceId } }, response) => {
    const asked = { ...wholeHours(periodOf(query, now(), 30)), groupBy: query.group_by }
    const report = await withNames(deps, workspaceId, { ...asked, report: await accounts.usage(workspaceId, asked) })
    if (query.format === 'csv') return sendCsv(response, `usage-by-${query.group_by}.csv`, usageCsv(report))
    response.json(readUsage.reply.parse(usageReply(report, asked)))
  })
  mountRaw(router, readStatement, async ({ query, params, identity: { workspaceId } }, response) => {
    const month = monthOf(params.month, now())
    const { sums, usage } = await accounts.statement(workspaceId, month)
    if (query.format === 'csv') return sendCsv(response, `statement-${params.month}.csv`, statementCsv(sums, usage))
    response.json(readStatement.reply.parse(statementReply(params.month, sums, usage)))
  })
}

function topUpRoutes(router: Router, { topUps }: BillingRouteDeps): void {
  mountJson(router, startTopUp, async ({ body, identity: { workspaceId, userId } }) => {
    const { amount_cents: amountCents, return_path: returnPath } = body
    const { topUp, url } = await topUps.start({ workspaceId, userId, amountCents, returnPath })
    return { reply: { ...topUpReply(topUp), url } }
  })
  mount(router, listTopUps, async ({ identity: { workspaceId } }) => ({
    object: 'list' as const,
    data: (await topUps.list(workspaceId)).map(topUpReply),
  }))
  mountJson(router, receivePayment, async ({ body }) => ({ reply: { accepted: await topUps.receive(body) } }))
}

/** What the dashboard shows to operators, and does for them. */
function operatorRoutes(router: Router, { accounts, credits }: BillingRouteDeps): void {
  mountJson(router, creditWallet, async ({ body }) => {
    const { workspace_id: workspaceId, amount_nano: amount, reference, reason } = body
    const credit = { workspaceId, amountNano: BigInt(amount), reference, reason }
    const { credited, balanceNano } = await accounts.credit(credit)
    return { reply: { credited, balance_nano: String(balanceNano) } }
  })
  mountJson(router, correctWallet, async ({ body }) => {
    const { workspace_id: workspaceId, amount_nano: amount, reference, reason } = body
    const correction = { workspaceId, amountNano: BigInt(amount), reference, reason }
    const { corrected, balanceNano } = await accounts.correct(correction)
    return { reply: { corrected, balance_nano: String(balanceNano) } }
  })
  mount(router, listCredits, async ({ query }) => {
    const { total, found } = await credits.list(query)
    const data = found.map(({ workspaceId, at, amountNano, reference, kind }) => ({
      workspace_id: workspaceId,
      kind,
      at: at.toISOString(),
      amount_nano: String(amountNano),
      reference,
    }))
    return pageReply(data, total, query)
  })
  mount(router, readLedgerAudits, async () => ({
    object: 'list' as const,
    data: (await accounts.audits()).map(auditReply),
  }))
}
