import type { Pool } from '@ratchet/db/connect-pool'
import { textArray, wordArray } from '@ratchet/db/plain-statement'
import type { CarvedHold, EscrowClosing, EscrowStore, OpenBlock, RecallStore, WalletLook } from './escrow-store.ts'
import { cheapestDraw } from './pg-draw-values.ts'
import { type LedgerStatements, ledgerStatements } from './pg-ledger-statements.ts'
import { runPlainStatement, runStatement } from './pg-run-statement.ts'
import { endUserValues, labelValues } from './pg-usage-values.ts'

export interface PgEscrowOptions {
  readonly pool: Pool
  readonly ownerId: string
  readonly statementTimeoutMs?: number
  /** Milliseconds that a block remains open when its owner dies; also for the rows of its requests. */
  readonly holdTtlMs?: number
  /** A block takes at most one part in so many of what is free of its wallet. */
  readonly walletBlocks?: number
  readonly statements?: LedgerStatements
}

export function createPgEscrowStore(options: PgEscrowOptions): EscrowStore {
  const { pool, ownerId, statementTimeoutMs: timeoutMs = 2_000, holdTtlMs = 30_000 } = options
  const { walletBlocks = 8, statements = ledgerStatements } = options
  return {
    async openBlock({ blockId, workspaceId, desiredNano, leastNano }: OpenBlock) {
      const amounts = [String(desiredNano), String(leastNano)]
      const values = [blockId, workspaceId, ...amounts, ownerId, String(holdTtlMs), String(walletBlocks)]
      const query = { name: 'ledger_open_block', text: statements.openBlock, values, timeoutMs }
      const [row] = await runPlainStatement<[amount: string]>(pool, query)
      return row === undefined ? null : BigInt(row[0])
    },
    async forestallBlock({ blockId, workspaceId }) {
      const values = [blockId, workspaceId, ownerId]
      await runStatement(pool, { name: 'ledger_forestall_block', text: statements.forestallBlock, values, timeoutMs })
    },
    draw: (closings) => drawAll(pool, closings, { statements, timeoutMs }),
    async carve(holds) {
      const values = [...carveValues(holds), ownerId, String(holdTtlMs), endUserValues(holds)]
      return idsOf(pool, { name: 'ledger_carve', text: statements.carve, values, timeoutMs })
    },
    async seal(ids) {
      await runStatement(pool, { name: 'ledger_seal', text: statements.seal, values: [ids], timeoutMs })
    },
    async book(ids) {
      await runStatement(pool, { name: 'ledger_book', text: statements.book, values: [ids], timeoutMs })
    },
    async drawLate({ billingId, workspaceId, costNano, logRow, tokens, escrow }) {
      const { holdNano, kind, model, priceVersion, labels } = escrow
      const amounts = [billingId, workspaceId, ownerId, costNano, holdNano]
      const facts = [kind, model, priceVersion, logRow?.requestId ?? null, logRow?.expiresOn ?? null]
      const usage = [labels?.keyId, labels?.tag, labels?.alias, tokens?.promptTokens, tokens?.completionTokens]
      const endUser = labels?.endUserId ?? null
      const values = [...amounts, ...facts, ...usage.map((value) => value ?? null), endUser]
      const query = { name: 'ledger_draw_late', text: statements.drawLate, values, timeoutMs }
      const [row] = await runStatement<{ cost: string; write_off: string }>(pool, query)
      return row && { chargedNano: BigInt(row.cost), writeOffNano: BigInt(row.write_off) }
    },
    async isKnown(billingId) {
      const query = { name: 'ledger_read', text: statements.read, values: [[billingId]], timeoutMs }
      return (await runStatement(pool, query)).length > 0
    },
  }
}

export function createPgRecalls(
  options: Pick<PgEscrowOptions, 'pool' | 'statements' | 'statementTimeoutMs'>,
): RecallStore {
  const { pool, statements = ledgerStatements, statementTimeoutMs: timeoutMs = 2_000 } = options
  return {
    async look(workspaceIds) {
      const values = [wordArray(workspaceIds)]
      const query = { name: 'ledger_look', text: statements.look, values, timeoutMs }
      const rows = await runPlainStatement<[workspaceId: string, balance: string, held: string, blocks: string]>(
        pool,
        query,
      )
      return new Map(rows.map(([id, ...wallet]) => [id, lookOf(...wallet)]))
    },
    async recall(workspaceId) {
      const values = [workspaceId, recallMs]
      await runStatement(pool, { name: 'ledger_recall', text: statements.recall, values, timeoutMs })
    },
  }
}

function lookOf(balance: string, held: string, blocks: string): WalletLook {
  return { balanceNano: BigInt(balance), heldNano: BigInt(held), blocks: Number(blocks) }
}

/** Milliseconds for which no block of a recalled wallet is opened: much longer than anybody waits for a recall. */
const recallMs = 2_000

interface IdQuery {
  readonly name: string
  readonly text: string
  readonly values: readonly string[]
  readonly timeoutMs: number
}

async function idsOf(pool: Pool, query: IdQuery): Promise<ReadonlySet<string>> {
  const rows = await runPlainStatement<[id: string]>(pool, query)
  return new Set(rows.map(([id]) => id))
}

interface DrawOptions {
  readonly statements: Pick<LedgerStatements, 'draw' | 'drawOne' | 'drawAlike'>
  readonly timeoutMs: number
}

async function drawAll(
  pool: Pool,
  closings: readonly EscrowClosing[],
  { statements, timeoutMs }: DrawOptions,
): Promise<ReadonlySet<string>> {
  const { statement, values } = cheapestDraw(closings)
  const query = { name: `ledger_${statement}`, text: statements[statement], values, timeoutMs }
  const [[drawn] = ['']] = await runPlainStatement<[drawn: string]>(pool, query)
  if (drawn === 'all') return new Set(closings.map(({ billingId }) => billingId))
  return new Set(drawn === '' ? [] : drawn.split(','))
}

function carveValues(holds: readonly CarvedHold[]): readonly string[] {
  return [
    wordArray(holds.map(({ billingId }) => billingId)),
    wordArray(holds.map(({ workspaceId }) => workspaceId)),
    wordArray(holds.map(({ blockId }) => blockId)),
    wordArray(holds.map(({ holdNano }) => holdNano)),
    textArray(holds.map(({ kind }) => kind)),
    textArray(holds.map(({ model }) => model)),
    textArray(holds.map(({ priceVersion }) => priceVersion)),
    ...labelValues(holds),
  ]
}
