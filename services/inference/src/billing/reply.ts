import type { UsageGroup, Usage as UsageReply, Wallet } from '@ratchet/contracts/billing'
import { csvOf } from '@ratchet/service-kit/values/csv'
import type { z } from 'zod'
import type { WalletAlert } from '../wallet-alerts/wallet-alert.ts'
import type {
  Entry,
  Period,
  StatementCredit,
  StatementSums,
  UsageReport,
  UsageSums,
  UsageWithDays,
  WalletState,
} from './accounts.ts'
import type { AuditVerdict } from './sharded-accounts.ts'

interface WalletFacts {
  readonly wallet: WalletState
  readonly alert: WalletAlert | null
  readonly audit: AuditVerdict | null
  readonly topUps: WalletReply['top_ups']
}

type WalletReply = z.input<typeof Wallet>

export function walletReply({ wallet, alert, audit, topUps }: WalletFacts): WalletReply {
  const { balanceNano, heldNano, inBlocksNano, openCount, openHolds } = wallet
  return {
    object: 'wallet',
    balance_nano: String(balanceNano),
    held_nano: String(heldNano),
    in_blocks_nano: String(inBlocksNano),
    available_nano: String(balanceNano - heldNano),
    open_holds: openCount,
    oldest_holds: openHolds.map(({ billingId, model, holdNano, openedAt }) => ({
      request_id: billingId,
      model,
      hold_nano: String(holdNano),
      opened_at: openedAt.toISOString(),
    })),
    alert: alert && {
      threshold_nano: String(alert.thresholdNano),
      is_below: alert.isBelow,
      changed_at: alert.changedAt?.toISOString() ?? null,
    },
    audit: audit && { agree: audit.agree, audited_at: audit.auditedAt.toISOString() },
    top_ups: topUps,
  }
}

export function entryReply({ id, at, reason, amountNano, balanceNano, charges, reference, note }: Entry) {
  const amounts = { amount_nano: String(amountNano), balance_nano: String(balanceNano) }
  return { id: String(id), at: at.toISOString(), reason, ...amounts, charges, reference, note }
}

export function ledgerCsv(entries: readonly Entry[]): string {
  return csvOf(
    ['id', 'at', 'reason', 'amount_nano', 'balance_nano', 'charges', 'reference', 'note'],
    entries.map(({ id, at, reason, amountNano, balanceNano, charges, reference, note }) => [
      id,
      at.toISOString(),
      reason,
      amountNano,
      balanceNano,
      charges,
      reference,
      note,
    ]),
  )
}

type Described = Period & { readonly groupBy: UsageGroup }

export function usageReply(report: UsageWithDays, { from, to, groupBy }: Described): z.input<typeof UsageReply> {
  return {
    object: 'usage',
    group_by: groupBy,
    from: from.toISOString(),
    to: to.toISOString(),
    charges_nano: String(report.chargesNano),
    ...groupsReply(report),
    series: report.days.map(({ day, kind, group, costNano }) => ({ day, kind, group, cost_nano: String(costNano) })),
  }
}

export function groupsReply({ unattributedNano, groups, others }: UsageReport) {
  return {
    unattributed_nano: String(unattributedNano),
    groups: groups.map((each) => ({ group: each.group, ...sumsReply(each) })),
    others: others && { groups: others.groups, ...sumsReply(others) },
  }
}

function sumsReply({ requests, promptTokens, completionTokens, costNano }: UsageSums) {
  return {
    requests,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    cost_nano: String(costNano),
  }
}

/** The same rows as in JSON: groups, what is beyond them, and the unattributed rest, which add up to the charges. */
export function usageCsv({ groups, others, unattributedNano }: UsageReport): string {
  const sums = (each: UsageSums) => [each.requests, each.promptTokens, each.completionTokens, each.costNano] as const
  return csvOf(
    ['kind', 'group', 'requests', 'prompt_tokens', 'completion_tokens', 'cost_nano'],
    [
      ...groups.map((each) => ['group', each.group, ...sums(each)]),
      ...(others === null ? [] : [['others', String(others.groups), ...sums(others)]]),
      ['unattributed', null, null, null, null, unattributedNano],
    ],
  )
}

export function statementReply(month: string, sums: StatementSums, usage: UsageReport) {
  return {
    object: 'statement' as const,
    month,
    opening_nano: String(sums.openingNano),
    credits_nano: String(sums.creditsNano),
    corrections_nano: String(sums.correctionsNano),
    charges_nano: String(sums.chargesNano),
    closing_nano: String(sums.closingNano),
    credits: sums.credits.map(creditReply),
    corrections: sums.corrections.map(creditReply),
    usage: groupsReply(usage),
  }
}

function creditReply({ at, amountNano, reference }: StatementCredit) {
  return { at: at.toISOString(), amount_nano: String(amountNano), reference }
}

export function statementCsv(
  { openingNano, credits, corrections, closingNano }: StatementSums,
  usage: UsageReport,
): string {
  return csvOf(
    ['line', 'what', 'amount_nano'],
    [
      ['opening', null, openingNano],
      ...credits.map((credit) => ['credit', creditText(credit), credit.amountNano]),
      ...corrections.map((correction) => ['correction', creditText(correction), correction.amountNano]),
      ...usage.groups.map(({ group, costNano }) => ['charges', group, -costNano]),
      ...(usage.others === null ? [] : [['charges', 'others', -usage.others.costNano]]),
      ['charges', 'unattributed', -usage.unattributedNano],
      ['closing', null, closingNano],
    ],
  )
}

function creditText({ at, reference }: StatementCredit): string {
  return `${at.toISOString()} ${reference}`
}
