import { type Charge, chargeLate, chargeOpen } from '../domain/charge.ts'
import { checkCheckpoint, checkClosing, checkHold } from '../domain/check-ledger-input.ts'
import type { Closing, Hold, HoldOutcome, Ledger, OnLedgerEvent } from '../domain/ledger.ts'
import type { LedgerStore } from '../domain/ledger-store.ts'

export interface MemoryWallet {
  readonly balanceNano: bigint
  readonly heldNano: bigint
}

export interface MemoryRequest {
  readonly workspaceId: string
  readonly holdNano: bigint
  readonly checkpointNano: bigint
  readonly state: 'open' | 'posted' | 'voided'
  readonly costNano: bigint
}

export interface MemoryLedger extends Ledger, LedgerStore {
  topUp(workspaceId: string, amountNano: bigint): void
  wallet(workspaceId: string): MemoryWallet
  request(requestId: string): MemoryRequest | undefined
  /** Gives up every open request at its checkpoint, as the sweeper does for owners that are gone. */
  giveUpOpen(): number
}

type Books = { wallets: Map<string, MemoryWallet>; requests: Map<string, MemoryRequest>; onEvent: OnLedgerEvent }

/** The books in memory, one call after the other: the model of the real ledger, and its stand-in for tests. */
export function createMemoryLedger({ onEvent = () => undefined }: { onEvent?: OnLedgerEvent } = {}): MemoryLedger {
  const books: Books = { wallets: new Map(), requests: new Map(), onEvent }
  return {
    hold: async (hold) => takeHold(books, hold),
    checkpoint(checkpoint) {
      checkCheckpoint(checkpoint)
      const request = books.requests.get(checkpoint.requestId)
      if (request?.state !== 'open') return
      const checkpointNano = chargeOpen({ ...request, costNano: checkpoint.costNano }).chargedNano
      if (checkpointNano > request.checkpointNano) change(books, checkpoint.requestId, { ...request, checkpointNano })
    },
    close: async (closing) => closeRequest(books, closing),
    settle: async (settle) => ({ ...closeRequest(books, { ...settle, outcome: 'posted' }), committed: true }),
    async release(requestId, workspaceId) {
      closeRequest(books, { requestId, workspaceId, costNano: 0n, outcome: 'voided' })
    },
    flush: async () => undefined,
    idle: async () => undefined,
    topUp: (workspaceId, amountNano) => move(books, workspaceId, { balanceNano: amountNano }),
    wallet: (workspaceId) => walletOf(books, workspaceId),
    request: (requestId) => books.requests.get(requestId),
    giveUpOpen: () => giveUp(books),
  }
}

function takeHold(books: Books, hold: Hold): HoldOutcome {
  checkHold(hold)
  const { requestId, workspaceId, amountNano: holdNano } = hold
  const known = books.requests.get(requestId)
  if (known !== undefined) return known.state
  if (!books.wallets.has(workspaceId) || availableIn(books, workspaceId) < holdNano) return 'refused'
  change(books, requestId, { workspaceId, holdNano, checkpointNano: 0n, costNano: 0n, state: 'open' })
  move(books, workspaceId, { heldNano: holdNano })
  return 'held'
}

function closeRequest(books: Books, closing: Closing): { chargedNano: bigint } {
  checkClosing(closing)
  const { requestId, workspaceId, costNano, outcome } = closing
  const request = books.requests.get(requestId)
  if (request === undefined) return closeUnknown(books, closing)
  const { state, costNano: paidNano, holdNano } = request
  if (state === 'posted' || (state === outcome && paidNano === 0n)) return { chargedNano: paidNano }
  if (request.workspaceId !== workspaceId) throw new RangeError(`request ${requestId} is not one of ${workspaceId}`)
  if (state === 'open') {
    move(books, workspaceId, { heldNano: -holdNano })
    return post(books, closing, chargeOpen({ costNano, holdNano }))
  }
  const charge = chargeLate({ costNano, holdNano, paidNano, availableNano: availableIn(books, workspaceId) })
  books.onEvent({ kind: 'late_post', requestId, chargedNano: charge.chargedNano - paidNano })
  return post(books, closing, charge)
}

function closeUnknown(books: Books, { requestId, workspaceId, costNano, outcome }: Closing): { chargedNano: bigint } {
  if (outcome === 'posted') books.onEvent({ kind: 'unknown_request', requestId, amountNano: costNano })
  else change(books, requestId, { workspaceId, holdNano: 0n, checkpointNano: 0n, costNano: 0n, state: 'voided' })
  return { chargedNano: 0n }
}

function post(
  books: Books,
  { requestId, outcome }: Closing,
  { chargedNano, writeOffNano }: Charge,
): { chargedNano: bigint } {
  const request = books.requests.get(requestId)
  if (request === undefined) throw new Error(`no request ${requestId}`)
  move(books, request.workspaceId, { balanceNano: request.costNano - chargedNano })
  change(books, requestId, { ...request, state: outcome, costNano: chargedNano })
  if (writeOffNano > 0n) books.onEvent({ kind: 'write_off', requestId, amountNano: writeOffNano })
  return { chargedNano }
}

function giveUp(books: Books): number {
  const open = [...books.requests].filter(([, { state }]) => state === 'open')
  for (const [requestId, request] of open) {
    const costNano = request.checkpointNano
    move(books, request.workspaceId, { heldNano: -request.holdNano, balanceNano: -costNano })
    change(books, requestId, { ...request, state: 'voided', costNano })
    books.onEvent({ kind: 'orphaned_hold', requestId, chargedNano: costNano })
  }
  return open.length
}

function change(books: Books, requestId: string, request: MemoryRequest): void {
  books.requests.set(requestId, request)
}

function move(books: Books, workspaceId: string, by: { balanceNano?: bigint; heldNano?: bigint }): void {
  const { balanceNano, heldNano } = walletOf(books, workspaceId)
  const wallet = { balanceNano: balanceNano + (by.balanceNano ?? 0n), heldNano: heldNano + (by.heldNano ?? 0n) }
  if (wallet.heldNano < 0n || wallet.heldNano > wallet.balanceNano) throw new Error(`wallet ${workspaceId} overspent`)
  books.wallets.set(workspaceId, wallet)
}

function availableIn(books: Books, workspaceId: string): bigint {
  const { balanceNano, heldNano } = walletOf(books, workspaceId)
  return balanceNano - heldNano
}

function walletOf(books: Books, workspaceId: string): MemoryWallet {
  return books.wallets.get(workspaceId) ?? { balanceNano: 0n, heldNano: 0n }
}
