import { type Charge, chargeLate, chargeOpen, smaller } from './charge.ts'
import { checkCheckpoint, checkClosing, checkHold } from './check-ledger-input.ts'
import type { BudgetWindow, Closing, Hold, HoldOutcome, Ledger, OnLedgerEvent, SpendCap } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import { overBudget } from './over-budget.ts'

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
  readonly cap: CapWindow | null
  readonly budgets: readonly BudgetWindow[]
}

/** Identifies a window of a budget. */
export type BudgetName = Omit<BudgetWindow, 'amountNano'>

/** Identifies a window of a cap. */
export type CapWindow = Omit<SpendCap, 'capNano'>

export interface MemoryCap {
  readonly capNano: bigint
  readonly spentNano: bigint
  readonly heldNano: bigint
}

export interface MemoryLedger extends Ledger, LedgerStore {
  topUp(workspaceId: string, amountNano: bigint): void
  wallet(workspaceId: string): MemoryWallet
  request(billingId: string): MemoryRequest | undefined
  /** The holds and costs of a cap's window. */
  cap(workspaceId: string, cap: CapWindow): MemoryCap
  /** The holds and costs of a budget's window. */
  budget(workspaceId: string, budget: BudgetName): MemoryCap
  /** Closes every open request at its checkpoint, as the sweeper does for owners that died. */
  sweepOpen(): number
}

interface LedgerState {
  readonly wallets: Map<string, MemoryWallet>
  readonly requests: Map<string, MemoryRequest>
  readonly caps: Map<string, MemoryCap>
  readonly onEvent: OnLedgerEvent
}

/**
 * The ledger in memory, with one call after the other. It is the reference for the real ledger, and replaces it in
 * tests.
 */
export function createMemoryLedger({ onEvent = () => undefined }: { onEvent?: OnLedgerEvent } = {}): MemoryLedger {
  const ledgerState: LedgerState = { wallets: new Map(), requests: new Map(), caps: new Map(), onEvent }
  return {
    hold: async (hold) => takeHold(ledgerState, hold),
    checkpoint(checkpoint) {
      checkCheckpoint(checkpoint)
      const request = ledgerState.requests.get(checkpoint.billingId)
      if (request?.state !== 'open') return
      const checkpointNano = chargeOpen({ ...request, costNano: checkpoint.costNano }).chargedNano
      if (checkpointNano > request.checkpointNano)
        change(ledgerState, checkpoint.billingId, { ...request, checkpointNano })
    },
    close: async (closing) => closeRequest(ledgerState, closing),
    complete: (closing) => closing,
    settle: async (settle) => ({ ...closeRequest(ledgerState, { ...settle, outcome: 'posted' }), committed: true }),
    async release(billingId, workspaceId) {
      closeRequest(ledgerState, { billingId, workspaceId, costNano: 0n, outcome: 'voided' })
    },
    flush: async () => undefined,
    idle: async () => undefined,
    topUp: (workspaceId, amountNano) => move(ledgerState, workspaceId, { balanceNano: amountNano }),
    wallet: (workspaceId) => walletOf(ledgerState, workspaceId),
    request: (billingId) => ledgerState.requests.get(billingId),
    cap: (workspaceId, cap) => capOf(ledgerState, workspaceId, cap),
    budget: (workspaceId, budget) => capOf(ledgerState, workspaceId, asCap(budget)),
    sweepOpen: () => sweep(ledgerState),
  }
}

function takeHold(ledgerState: LedgerState, hold: Hold): HoldOutcome {
  checkHold(hold)
  const { billingId, workspaceId, amountNano: holdNano, cap = null, budgets = [] } = hold
  const known = ledgerState.requests.get(billingId)
  if (known !== undefined) return known.state
  if (!ledgerState.wallets.has(workspaceId) || availableIn(ledgerState, workspaceId) < holdNano) return 'refused'
  if (cap !== null) {
    const window = { ...capOf(ledgerState, workspaceId, cap), capNano: cap.capNano }
    if (roomUnder(window) < holdNano) return 'capped'
    ledgerState.caps.set(capName(workspaceId, cap), window)
  }
  const windows = budgets.map((budget) => {
    const window = asCap(budget)
    return { name: window, state: { ...capOf(ledgerState, workspaceId, window), capNano: budget.amountNano } }
  })
  const places = windows.flatMap(({ state }, place) => (roomUnder(state) < holdNano ? [place] : []))
  if (places.length > 0) return overBudget(places)
  for (const { name, state } of windows) ledgerState.caps.set(capName(workspaceId, name), state)
  change(ledgerState, billingId, { ...newRequest, workspaceId, holdNano, cap, budgets, state: 'open' })
  move(ledgerState, workspaceId, { heldNano: holdNano })
  return 'held'
}

const newRequest = { checkpointNano: 0n, costNano: 0n, cap: null, budgets: [] }

function closeRequest(ledgerState: LedgerState, closing: Closing): { chargedNano: bigint } {
  checkClosing(closing)
  const { billingId, workspaceId, costNano, outcome } = closing
  const request = ledgerState.requests.get(billingId)
  if (request === undefined) return closeUnknown(ledgerState, closing)
  const { state, costNano: paidNano, holdNano } = request
  if (state === 'posted' || (state === outcome && paidNano === 0n)) return { chargedNano: paidNano }
  if (request.workspaceId !== workspaceId) throw new RangeError(`request ${billingId} is not one of ${workspaceId}`)
  if (state === 'open') {
    move(ledgerState, workspaceId, { heldNano: -holdNano })
    return post(ledgerState, closing, chargeOpen({ costNano, holdNano }))
  }
  const rooms = windowsOf(request).map((window) => roomUnder(capOf(ledgerState, workspaceId, window)))
  const availableNano = rooms.reduce(smaller, availableIn(ledgerState, workspaceId))
  const charge = chargeLate({ costNano, holdNano, paidNano, availableNano })
  ledgerState.onEvent({ kind: 'late_post', billingId, chargedNano: charge.chargedNano - paidNano })
  return post(ledgerState, closing, charge)
}

function closeUnknown(
  ledgerState: LedgerState,
  { billingId, workspaceId, costNano, outcome }: Closing,
): { chargedNano: bigint } {
  if (outcome === 'posted') ledgerState.onEvent({ kind: 'unknown_request', billingId, amountNano: costNano })
  else change(ledgerState, billingId, { ...newRequest, workspaceId, holdNano: 0n, state: 'voided' })
  return { chargedNano: 0n }
}

function post(
  ledgerState: LedgerState,
  { billingId, outcome }: Closing,
  { chargedNano, writeOffNano }: Charge,
): { chargedNano: bigint } {
  const request = ledgerState.requests.get(billingId)
  if (request === undefined) throw new Error(`no request ${billingId}`)
  move(ledgerState, request.workspaceId, { balanceNano: request.costNano - chargedNano })
  change(ledgerState, billingId, { ...request, state: outcome, costNano: chargedNano })
  if (writeOffNano > 0n) ledgerState.onEvent({ kind: 'write_off', billingId, amountNano: writeOffNano })
  return { chargedNano }
}

function sweep(ledgerState: LedgerState): number {
  const open = [...ledgerState.requests].filter(([, { state }]) => state === 'open')
  for (const [billingId, request] of open) {
    const costNano = request.checkpointNano
    move(ledgerState, request.workspaceId, { heldNano: -request.holdNano, balanceNano: -costNano })
    change(ledgerState, billingId, { ...request, state: 'voided', costNano })
    ledgerState.onEvent({ kind: 'orphaned_hold', billingId, chargedNano: costNano })
  }
  return open.length
}

/** Also changes what the request holds and costs in its window. */
function change(ledgerState: LedgerState, billingId: string, request: MemoryRequest): void {
  const before = ledgerState.requests.get(billingId)
  ledgerState.requests.set(billingId, request)
  const { workspaceId, costNano } = request
  for (const window of windowsOf(request)) {
    const { capNano, spentNano, heldNano } = capOf(ledgerState, workspaceId, window)
    ledgerState.caps.set(capName(workspaceId, window), {
      capNano,
      spentNano: spentNano + costNano - (before?.costNano ?? 0n),
      heldNano: heldNano + openHold(request) - openHold(before),
    })
  }
}

/** The windows in which a request counts. */
function windowsOf({ cap, budgets }: MemoryRequest): readonly CapWindow[] {
  return [...(cap === null ? [] : [cap]), ...budgets.map(asCap)]
}

/** A budget is counted as a cap is. */
function asCap({ id, subject, windowStart }: BudgetName): CapWindow {
  return { id: `${id} ${subject}`, windowStart }
}

function openHold(request: MemoryRequest | undefined): bigint {
  return request?.state === 'open' ? request.holdNano : 0n
}

function capOf({ caps }: LedgerState, workspaceId: string, cap: CapWindow): MemoryCap {
  return caps.get(capName(workspaceId, cap)) ?? { capNano: 0n, spentNano: 0n, heldNano: 0n }
}

function capName(workspaceId: string, { id, windowStart }: CapWindow): string {
  return `${workspaceId} ${id} ${windowStart.toISOString()}`
}

/** What the window still covers; without a cap, more than any wallet. */
function roomUnder({ capNano, spentNano, heldNano }: MemoryCap): bigint {
  return capNano === 0n ? 2n ** 63n : capNano - spentNano - heldNano
}

function move(ledgerState: LedgerState, workspaceId: string, by: { balanceNano?: bigint; heldNano?: bigint }): void {
  const { balanceNano, heldNano } = walletOf(ledgerState, workspaceId)
  const wallet = { balanceNano: balanceNano + (by.balanceNano ?? 0n), heldNano: heldNano + (by.heldNano ?? 0n) }
  if (wallet.heldNano < 0n || wallet.heldNano > wallet.balanceNano) throw new Error(`wallet ${workspaceId} overspent`)
  ledgerState.wallets.set(workspaceId, wallet)
}

function availableIn(ledgerState: LedgerState, workspaceId: string): bigint {
  const { balanceNano, heldNano } = walletOf(ledgerState, workspaceId)
  return balanceNano - heldNano
}

function walletOf(ledgerState: LedgerState, workspaceId: string): MemoryWallet {
  return ledgerState.wallets.get(workspaceId) ?? { balanceNano: 0n, heldNano: 0n }
}
