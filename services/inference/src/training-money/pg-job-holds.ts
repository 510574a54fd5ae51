import type { Pool } from '@ratchet/db/connect-pool'
import { checkHold } from '../ledger/check-ledger-input.ts'
import type { ExactWallets } from '../ledger/exact-wallets.ts'
import { LedgerUnavailable, type OnLedgerEvent } from '../ledger/ledger.ts'
import { ledgerStatements } from '../ledger/pg-ledger-statements.ts'
import { runStatement } from '../ledger/pg-run-statement.ts'
import type { JobCharge, JobCost, JobHold, JobHoldOutcome, JobHolds, NamedHold, OpenJobHold } from './job-holds.ts'
import { type JobHoldStatements, jobHoldStatements } from './pg-job-hold-statements.ts'

/** The owner of all holds of jobs. It never has a heartbeat, so that only their deadline decides when they are swept. */
export const jobHoldOwner = '00000000-0000-8000-8000-747261696e00'

export interface PgJobHoldsOptions {
  readonly pool: Pool
  /** Of the same ledger: a refusal counts only without blocks. */
  readonly exact: Pick<ExactWallets, 'settle'>
  readonly onEvent: OnLedgerEvent
  readonly newId: () => string
  /** Milliseconds for which a hold stays open after the last call that named it. */
  readonly keepMs: number
  readonly timeoutMs?: number
  readonly statements?: JobHoldStatements
}

interface Taken {
  readonly outcome: JobHoldOutcome
  readonly missing: string
  readonly held: string
  readonly job_cost: string
}

interface Charged {
  readonly kind: JobCharge['kind']
  readonly state: JobCharge['state']
  readonly held: string
  readonly job_cost: string
  readonly charged: string
  readonly was_open: boolean
  readonly write_off: string
}

interface Asked extends JobCost {
  /** Whether the rest of the hold is released. */
  readonly ends: boolean
}

/** Statements until a refusal is believed: the first may have met a concurrent one, others a block that came in between. */
const maxAttempts = 5

/** Holds of training jobs in one ledger. */
export function createPgJobHolds(options: PgJobHoldsOptions): JobHolds {
  const { exact } = options
  return {
    async hold(hold) {
      checkHold({ ...hold, billingId: hold.holdId, priceVersion: '' })
      let isPoor = false
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const { outcome, missing, held, job_cost } = await take(options, hold)
        if (outcome !== 'refused' || isPoor) {
          return { outcome, heldNano: BigInt(held), jobCostNano: BigInt(job_cost) }
        }
        const { balanceNano, heldNano } = await exact.settle(hold.workspaceId)
        const missingNano = BigInt(missing)
        // nothing is refused only to a workspace without a wallet
        isPoor = missingNano === 0n || balanceNano - heldNano < missingNano
      }
      throw new LedgerUnavailable(`hold ${hold.holdId} was neither taken nor refused`, { uncertain: false })
    },
    checkpoint: (cost) => charge(options, { ...cost, ends: false }),
    settle: (cost) => charge(options, { ...cost, ends: true }),
    release: (hold) => release(options, hold),
    confirm: (workspaceId, holdIds) => confirm(options, workspaceId, holdIds),
  }
}

async function take(
  { pool, keepMs, timeoutMs = 2_000, statements = jobHoldStatements }: PgJobHoldsOptions,
  { holdId, workspaceId, jobId, amountNano, model, kind, labels }: JobHold,
): Promise<Taken> {
  const [row] = await runStatement<Taken>(pool, {
    name: 'job_hold',
    text: statements.hold,
    values: [
      ...[holdId, workspaceId, amountNano, model, jobId, jobHoldOwner, keepMs],
      ...[labels?.keyId ?? null, labels?.tag ?? null, labels?.alias ?? null],
      kind,
    ],
    timeoutMs,
  })
  if (row === undefined) throw new Error(`hold ${holdId} has no outcome`)
  return row
}

async function charge(
  { pool, keepMs, newId, onEvent, timeoutMs = 2_000, statements = jobHoldStatements }: PgJobHoldsOptions,
  { holdId, workspaceId, costNano, tokens, ends }: Asked,
): Promise<JobCharge | undefined> {
  const [row] = await runStatement<Charged>(pool, {
    name: 'job_charge',
    text: statements.charge,
    values: [holdId, workspaceId, costNano, tokens ?? null, newId(), keepMs, ends],
    timeoutMs,
  })
  if (row === undefined) return undefined
  const [chargedNano, writeOffNano] = [BigInt(row.charged), BigInt(row.write_off)]
  if (!row.was_open && chargedNano > 0n) onEvent({ kind: 'late_post', billingId: holdId, chargedNano })
  if (writeOffNano > 0n) onEvent({ kind: 'write_off', billingId: holdId, amountNano: writeOffNano })
  const { state, kind } = row
  return { state, kind, heldNano: BigInt(row.held), jobCostNano: BigInt(row.job_cost), chargedNano }
}

async function release(options: PgJobHoldsOptions, { holdId, workspaceId }: NamedHold): Promise<JobCharge> {
  const asked = { holdId, workspaceId, costNano: 0n, ends: true }
  const released = await charge(options, asked)
  if (released !== undefined) return released
  const values = [holdId, workspaceId, jobHoldOwner]
  const { pool, timeoutMs = 2_000 } = options
  await runStatement(pool, { name: 'ledger_forestall', text: ledgerStatements.forestall, values, timeoutMs })
  // a hold that was taken in between is there now
  return (
    (await charge(options, asked)) ?? {
      state: 'voided',
      kind: 'training',
      heldNano: 0n,
      jobCostNano: 0n,
      chargedNano: 0n,
    }
  )
}

interface OpenRow {
  readonly request_id: string
  readonly job_id: string
  readonly hold: string
  readonly job_cost: string
  readonly opened_at: Date
  readonly deadline: Date
}

async function confirm(
  { pool, keepMs, timeoutMs = 2_000, statements = jobHoldStatements }: PgJobHoldsOptions,
  workspaceId: string,
  holdIds: readonly string[],
): Promise<readonly OpenJobHold[]> {
  if (holdIds.length > 0) {
    const values = [workspaceId, holdIds, keepMs]
    await runStatement(pool, { name: 'job_confirm', text: statements.confirm, values, timeoutMs })
  }
  const query = { name: 'job_list', text: statements.list, values: [workspaceId], timeoutMs }
  return (await runStatement<OpenRow>(pool, query)).map((row) => ({
    holdId: row.request_id,
    jobId: row.job_id,
    heldNano: BigInt(row.hold),
    jobCostNano: BigInt(row.job_cost),
    openedAt: row.opened_at,
    expiresAt: row.deadline,
  }))
}
