import { type PlainStatement, textArray, wordArray } from '@ratchet/db/plain-statement'
import type { Hold, HoldOutcome } from './ledger.ts'
import { type LedgerStatements, ledgerStatements } from './pg-ledger-statements.ts'
import { endUserValues, labelValues } from './pg-usage-values.ts'

export type OutcomeRow = readonly [billingId: string, outcome: HoldOutcome]
export type HoldStatement = PlainStatement & { readonly timeoutMs: number }

export interface Taking {
  readonly ownerId: string
  readonly statementTimeoutMs?: number
  readonly holdTtlMs?: number
  readonly statements?: LedgerStatements
}

/** The statement for holds without a cap and budgets. */
export function plainHolds(
  { ownerId, statementTimeoutMs = 2_000, holdTtlMs = 30_000, statements = ledgerStatements }: Taking,
  holds: readonly Hold[],
): HoldStatement {
  return {
    name: 'ledger_hold',
    text: statements.hold,
    values: [
      wordArray(holds.map(({ billingId }) => billingId)),
      wordArray(holds.map(({ workspaceId }) => workspaceId)),
      wordArray(holds.map(({ amountNano }) => amountNano)),
      textArray(holds.map(({ kind }) => kind)),
      textArray(holds.map(({ model }) => model)),
      textArray(holds.map(({ priceVersion }) => priceVersion)),
      ...labelValues(holds),
      ownerId,
      String(holdTtlMs),
      endUserValues(holds),
    ],
    timeoutMs: statementTimeoutMs,
  }
}

/** The statement for one hold, whatever limits it. */
export function oneHold(taking: Taking, hold: Hold): HoldStatement {
  if (hold.budgets !== undefined) return budgetedHold(taking, hold)
  return hold.cap === undefined ? plainHolds(taking, [hold]) : cappedHold(taking, hold)
}

function budgetedHold(taking: Taking, hold: Hold): HoldStatement {
  const { statementTimeoutMs = 2_000, statements = ledgerStatements } = taking
  const { cap, labels, budgets = [] } = hold
  return {
    name: 'ledger_hold_budgeted',
    text: statements.holdBudgeted,
    values: [
      ...ownValues(taking, hold),
      ...[cap?.id ?? '', cap?.windowStart.toISOString() ?? '', String(cap?.capNano ?? 0n)],
      ...[labels?.keyId ?? '', labels?.tag ?? '', labels?.alias ?? ''],
      wordArray(budgets.map(({ id }) => id)),
      textArray(budgets.map(({ subject }) => subject)),
      wordArray(budgets.map(({ windowStart }) => windowStart.toISOString())),
      wordArray(budgets.map((budget) => budget.amountNano)),
      labels?.endUserId ?? '',
    ],
    timeoutMs: statementTimeoutMs,
  }
}

function cappedHold(taking: Taking, hold: Hold): HoldStatement {
  const { statementTimeoutMs = 2_000, statements = ledgerStatements } = taking
  const { billingId, cap, labels } = hold
  if (cap === undefined) throw new RangeError(`hold ${billingId} has no cap`)
  return {
    name: 'ledger_hold_capped',
    text: statements.holdCapped,
    values: [
      ...ownValues(taking, hold),
      ...[cap.id, cap.windowStart.toISOString(), String(cap.capNano)],
      ...[labels?.keyId ?? '', labels?.tag ?? '', labels?.alias ?? '', labels?.endUserId ?? ''],
    ],
    timeoutMs: statementTimeoutMs,
  }
}

function ownValues({ ownerId, holdTtlMs = 30_000 }: Taking, hold: Hold): readonly string[] {
  const { billingId, workspaceId, amountNano, kind, model, priceVersion } = hold
  return [billingId, workspaceId, String(amountNano), kind, model, priceVersion, ownerId, String(holdTtlMs)]
}
