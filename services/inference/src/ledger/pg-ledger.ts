import type { Pool } from '@ratchet/db/connect-pool'
import { queryPlain, wordArray } from '@ratchet/db/plain-statement'
import type { Row } from '@ratchet/db/row'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { checkCheckpoint, checkClosing, checkHold } from './check-ledger-input.ts'
import { type CloseStatements, createCloseBatch, type Known } from './close-batch.ts'
import { createHoldBatch } from './hold-batch.ts'
import type { Checkpoint, Closing, Hold, HoldOutcome, OnLedgerEvent } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import { type HoldStatement, type OutcomeRow, oneHold, plainHolds } from './pg-hold-values.ts'
import { type LedgerStatements, ledgerStatements } from './pg-ledger-statements.ts'
import { lowerHold } from './pg-lower-statement.ts'
import { runPlainStatement, runStatement, runTransaction } from './pg-run-statement.ts'
import { tokenValues } from './pg-usage-values.ts'

export interface PgLedgerOptions {
  /** At least 8 connections: two hold, two capped hold and two closing statements run at once, beside the others. */
  readonly pool: Pool
  /** A UUID of this process, a new one for every start. */
  readonly ownerId: string
  readonly onEvent: OnLedgerEvent
  /** Milliseconds without an answer to any hold after which holds fail. */
  readonly holdSilenceMs?: number
  /** Milliseconds to wait for a statement of a database that answers. */
  readonly statementTimeoutMs?: number
  /** Milliseconds that a hold remains open after the last checkpoint of its owner. */
  readonly holdTtlMs?: number
  readonly statements?: LedgerStatements
  /**
   * Is awaited before a charge that is limited by what is free of a wallet, so that blocks can be given back to it. When
   * it fails, so does the closing, which is then repeated.
   */
  readonly beforeLatePost?: (workspaceId: string) => Promise<unknown>
}

/** The ledger in Postgres: every call joins the next statement of its kind. */
export function createPgLedger(options: PgLedgerOptions): LedgerStore {
  const { holdSilenceMs = 250, statementTimeoutMs = 2_000, onEvent } = options
  const deadline = { silenceMs: holdSilenceMs, maxMs: statementTimeoutMs }
  const holds = createHoldBatch({ takeHolds: (items) => takeHolds(options, items), ...deadline })
  // Holds with a cap or budgets, and of other processes, are taken one by one, so that the statement of the hot path stays small.
  const special = createHoldBatch({ takeHolds: (items) => takeSpecial(options, items), ...deadline, maxBatch: 1 })
  const closings = createCloseBatch(closeStatements(options), onEvent)
  const checkpoints = createGroupCommit({
    maxInFlight: 1,
    run: async (items: readonly Checkpoint[]) => {
      await writeCheckpoints(options, items)
      return items
    },
  })
  return {
    async hold(hold) {
      checkHold(hold)
      return isPlain(hold) ? holds.hold(hold) : special.hold(hold)
    },
    checkpoint(checkpoint) {
      checkCheckpoint(checkpoint)
      checkpoints.add(checkpoint).catch(() => undefined) // the next checkpoint includes this one
    },
    async close(closing) {
      checkClosing(closing)
      return closings.close(closing)
    },
    complete: (closing) => closing,
    async idle() {
      await Promise.all([holds.idle(), special.idle(), closings.idle(), checkpoints.idle()])
    },
  }
}

/**
 * Opens the connections that requests will need and prepares the statements on them, so that the first requests after a
 * start wait for neither.
 */
export async function warmUpPgLedger(options: PgLedgerOptions): Promise<void> {
  const { closeOpen } = closeStatements(options)
  const nothing = () => [takeHolds(options, []), closeOpen([]), takeHolds(options, []), closeOpen([])]
  await Promise.all(nothing())
  await Promise.all(nothing().reverse())
}

async function takeHolds(options: PgLedgerOptions, holds: readonly Hold[]): Promise<ReadonlyMap<string, HoldOutcome>> {
  return new Map(await runPlainStatement<OutcomeRow>(options.pool, plainHolds(options, holds)))
}

function isPlain({ cap, budgets, owner, from }: Hold): boolean {
  return cap === undefined && budgets === undefined && owner === undefined && from === undefined
}

/** Takes holds each in a statement of its own: those under a spend cap or budgets, out of another hold, and of another owner. */
async function takeSpecial(
  options: PgLedgerOptions,
  holds: readonly Hold[],
): Promise<ReadonlyMap<string, HoldOutcome>> {
  const outcomes = new Map<string, HoldOutcome>()
  for (const hold of holds) {
    const { ownerId, keepMs: holdTtlMs = options.holdTtlMs } = hold.owner ?? { ...options, keepMs: undefined }
    const taking = { ...options, ownerId, ...(holdTtlMs === undefined ? {} : { holdTtlMs }) }
    const statement = oneHold(taking, hold)
    const taken =
      hold.from === undefined
        ? runPlainStatement<OutcomeRow>(options.pool, statement)
        : takeOutOf(options, hold, statement)
    for (const [id, outcome] of await taken) outcomes.set(id, outcome)
  }
  return outcomes
}

/** Lowers the larger hold and takes this one, in one transaction. */
function takeOutOf(
  { pool, statementTimeoutMs: timeoutMs = 2_000 }: PgLedgerOptions,
  { workspaceId, from }: Hold,
  statement: HoldStatement,
): Promise<readonly OutcomeRow[]> {
  return runTransaction(pool, { name: 'ledger_hold_out_of', timeoutMs }, async (client) => {
    const values = [from?.holdId ?? '', workspaceId, String(from?.keepNano ?? 0n)]
    await queryPlain(client, { name: 'ledger_lower', text: lowerHold, values, timeoutMs })
    const rows = await queryPlain<OutcomeRow>(client, statement)
    return { rows, commits: rows.some(([, outcome]) => outcome === 'held') }
  })
}

type ClosedRow = Pick<Row<'billingRequest', { cost: string }>, 'cost' | 'write_off'>

function closeStatements(options: PgLedgerOptions): CloseStatements {
  const { pool, ownerId, statementTimeoutMs: timeoutMs = 2_000, statements = ledgerStatements } = options
  const { beforeLatePost = () => Promise.resolve() } = options
  return {
    async closeOpen(closings) {
      const rows = await runPlainStatement<[billingId: string, cost: string, writeOff: string]>(pool, {
        name: 'ledger_close',
        text: statements.close,
        values: closeValues(closings),
        timeoutMs,
      })
      return new Map(rows.map(([billingId, cost, write_off]) => [billingId, charge({ cost, write_off })]))
    },
    async read(ids) {
      const rows = await runStatement<{ request_id: string; state: Known['state']; cost: string | null }>(pool, {
        name: 'ledger_read',
        text: statements.read,
        values: [ids],
        timeoutMs,
      })
      return new Map(rows.map((row) => [row.request_id, { state: row.state, costNano: BigInt(row.cost ?? 0) }]))
    },
    async latePost({ billingId, workspaceId, costNano, outcome, logRow, tokens }) {
      if (outcome === 'posted') await beforeLatePost(workspaceId)
      const [row] = await runStatement<ClosedRow & { difference: string }>(pool, {
        name: 'ledger_late_post',
        text: statements.latePost,
        values: [
          ...[billingId, workspaceId, costNano, outcome],
          ...[logRow?.requestId, logRow?.expiresOn, tokens?.promptTokens, tokens?.completionTokens].map(orNull),
        ],
        timeoutMs,
      })
      return row && { ...charge(row), differenceNano: BigInt(row.difference) }
    },
    async forestall({ billingId, workspaceId }) {
      const values = [billingId, workspaceId, ownerId]
      await runStatement(pool, { name: 'ledger_forestall', text: statements.forestall, values, timeoutMs })
    },
  }
}

function closeValues(closings: readonly Closing[]): readonly string[] {
  return [
    wordArray(closings.map(({ billingId }) => billingId)),
    wordArray(closings.map(({ workspaceId }) => workspaceId)),
    wordArray(closings.map(({ costNano }) => costNano)),
    wordArray(closings.map(({ outcome }) => outcome)),
    wordArray(closings.map(({ logRow }) => logRow?.requestId ?? 'NULL')),
    wordArray(closings.map(({ logRow }) => logRow?.expiresOn ?? 'NULL')),
    ...tokenValues(closings),
  ]
}

function orNull<T>(value: T | undefined): T | null {
  return value ?? null
}

function charge(row: ClosedRow): { chargedNano: bigint; writeOffNano: bigint } {
  return { chargedNano: BigInt(row.cost), writeOffNano: BigInt(row.write_off) }
}

async function writeCheckpoints(
  { pool, holdTtlMs = 30_000, statementTimeoutMs = 2_000, statements = ledgerStatements }: PgLedgerOptions,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  const latest = new Map<string, bigint>()
  for (const { billingId, costNano } of checkpoints) {
    const known = latest.get(billingId) ?? 0n
    latest.set(billingId, costNano > known ? costNano : known)
  }
  await runStatement(pool, {
    name: 'ledger_checkpoint',
    text: statements.checkpoint,
    values: [[...latest.keys()], [...latest.values()], holdTtlMs],
    timeoutMs: statementTimeoutMs,
  })
}
