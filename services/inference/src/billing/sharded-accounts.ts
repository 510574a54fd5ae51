import type { AuditReport } from '../ledger/audit-report.ts'
import type { OwnWorkspaces } from '../ledger/check-refusals.ts'
import { withLedgerOf } from '../ledger/find-ledger.ts'
import type { WorkspaceLedgers } from '../ledger/workspace-ledgers.ts'
import type { Accounts } from './accounts.ts'

/** Money that was paid. */
export interface Credit {
  readonly workspaceId: string
  readonly amountNano: bigint
  /** Unique over all payments. */
  readonly reference: string
  readonly reason?: string
}

export interface Credited {
  /** After the credit. */
  readonly balanceNano: bigint
  /** False when this credit was already made. */
  readonly credited: boolean
}

/** What an operator gives, or takes when it is negative. */
export interface Correction extends Credit {
  readonly reason: string
}

export interface Corrected {
  /** After the correction. */
  readonly balanceNano: bigint
  /** False when this correction was already made. */
  readonly corrected: boolean
}

/** What the last audit of a ledger by this process found. */
export interface AuditVerdict {
  readonly agree: boolean
  readonly auditedAt: Date
}

/** The same with all that it found. */
export interface LedgerVerdict extends AuditVerdict {
  readonly report: AuditReport
  /** Number of invariants. */
  readonly checked: number
}

export interface AccountsOfLedger extends OwnWorkspaces {
  readonly name: string
  readonly accounts: Accounts
  readonly credit: (credit: Credit) => Promise<Credited>
  readonly correct: (correction: Correction) => Promise<Corrected>
  readonly lastAudit: () => AuditVerdict | null
  /** The last audit; one of now when there was none since the process started. */
  readonly audit: () => Promise<LedgerVerdict>
}

/** The accounts of all ledgers, each workspace's in its own. */
export interface AllAccounts extends Accounts {
  lastAudit(workspaceId: string): Promise<AuditVerdict | null>
  /** What the last audit of each ledger found. */
  audits(): Promise<readonly (LedgerVerdict & { readonly name: string })[]>
  /** Credits a wallet; a repeated reference changes nothing. @throws ServiceError `conflict` for one that was used for another credit */
  credit(credit: Credit): Promise<Credited>
  /**
   * Corrects a wallet; a repeated reference changes nothing. @throws ServiceError `conflict` as above,
   * `insufficient_balance` when more would be taken than is free
   */
  correct(correction: Correction): Promise<Corrected>
}

export function createShardedAccounts(ledgers: readonly AccountsOfLedger[], workspaces: WorkspaceLedgers): AllAccounts {
  const within = <T>(workspaceId: string, work: (ledger: AccountsOfLedger) => Promise<T>) =>
    withLedgerOf({ ledgers, workspaces }, workspaceId, work)
  return {
    wallet: (id) => within(id, ({ accounts }) => accounts.wallet(id)),
    entries: (id, page) => within(id, ({ accounts }) => accounts.entries(id, page)),
    usage: (id, query) => within(id, ({ accounts }) => accounts.usage(id, query)),
    budgetSpend: (id, query) => within(id, ({ accounts }) => accounts.budgetSpend(id, query)),
    async usedSince(models, since) {
      const found = await Promise.all(ledgers.map(({ accounts }) => accounts.usedSince(models, since)))
      return found.flat()
    },
    statement: (id, month) => within(id, ({ accounts }) => accounts.statement(id, month)),
    lastAudit: (id) => within(id, async ({ lastAudit }) => lastAudit()),
    audits: () => Promise.all(ledgers.map(async ({ name, audit }) => ({ name, ...(await audit()) }))),
    credit: (topUp) => within(topUp.workspaceId, ({ credit }) => credit(topUp)),
    correct: (correction) => within(correction.workspaceId, ({ correct }) => correct(correction)),
  }
}
