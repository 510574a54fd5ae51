import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import type { EscrowStore } from './escrow-store.ts'
import type { Hold } from './ledger.ts'

export interface EscrowTiming {
  /**
   * Milliseconds after the start of its opening for which a block may be held from: at most half of `holdTtlMs`. A process
   * that was stopped for longer finds its blocks too old, because others may have sealed them.
   */
  readonly usableMs: number
  /** Milliseconds after which a block in use is replaced by a new one, and an unused one is closed. */
  readonly renewMs: number
  /** Milliseconds after which a running request gets a row of its own when its block has been replaced. */
  readonly carveAfterMs: number
}

/** How large blocks are, in holds like the one that needs a new block. */
export interface BlockSize {
  readonly holds: number
  /** A wallet that is too poor for a block of so many holds gets none. */
  readonly leastHolds: number
}

export interface BlocksOptions extends EscrowTiming {
  readonly store: Pick<EscrowStore, 'openBlock' | 'forestallBlock' | 'seal' | 'book'>
  readonly size: BlockSize
  readonly newId: () => string
  readonly clockMs: () => number
  /** Starts to give a running request a row of its own. */
  readonly carve: (held: Held) => void
}

/** A part of a wallet out of which this process holds. */
export interface Block {
  readonly id: string
  readonly workspaceId: string
  readonly amountNano: bigint
  freeNano: bigint
  /** Requests that hold out of it. */
  readonly running: Set<Held>
  /** When the statement began that opened it. */
  readonly openedAtMs: number
  usedAtMs: number
  isClosing: boolean
}

/** A hold in memory. */
export interface Held {
  readonly hold: Hold
  readonly block: Block
  readonly takenAtMs: number
  /** As in `EscrowHold`. */
  path: 'block' | 'row'
  /** Its charge was sent, so it never gets a row. */
  isCharging: boolean
  /** Resolves with whether it has a row. */
  carving: Promise<boolean> | null
  /** It is known to have a row. */
  hasRow: boolean
}

/** The blocks of one wallet. */
interface Purse {
  /** The block that new holds are taken from. */
  current: Block | null
  /** Earlier ones with running requests, or that are being closed. */
  readonly draining: Set<Block>
  isOpening: boolean
  askedAtMs: number
  pausedUntilMs: number
  recalledAtMs: number
  /** Grows while blocks are used up before their time. */
  scale: bigint
}

const maxScale = 64n
/** A wallet with less frequent holds gets no block: it would cost more than it saves. */
const frequentMs = 1_000

/** The blocks of this process: opens, replaces and closes them. Holding out of them and freeing needs no statement. */
export class EscrowBlocks {
  readonly #options: BlocksOptions
  readonly #purses = new Map<string, Purse>()
  /** Blocks whose opening got no answer, by id, with their workspace. They may have been opened. */
  readonly #lost = new Map<string, string>()
  readonly #working = new Set<Promise<unknown>>()
  readonly #closings

  constructor(options: BlocksOptions) {
    const { store } = options
    this.#options = options
    this.#closings = createGroupCommit({
      overlapAfterMs: 20,
      async run(ids: readonly string[]) {
        await store.seal(ids)
        await store.book(ids)
        return ids
      },
    })
  }

  /** Holds in memory; undefined when no block covers the hold. Opens a block for those that follow. */
  take(hold: Hold): Held | undefined {
    const { clockMs, renewMs, usableMs } = this.#options
    const nowMs = clockMs()
    const purse = this.#purseOf(hold.workspaceId)
    const block = purse.current
    const isFrequent = block !== null || nowMs - purse.askedAtMs < frequentMs
    purse.askedAtMs = nowMs
    if (block === null || nowMs - block.openedAtMs > usableMs || block.freeNano < hold.amountNano) {
      if (isFrequent) this.#open(purse, hold)
      return undefined
    }
    const held: Held = { hold, block, takenAtMs: nowMs, path: 'block', isCharging: false, carving: null, hasRow: false }
    block.freeNano -= hold.amountNano
    block.usedAtMs = nowMs
    block.running.add(held)
    if (nowMs - block.openedAtMs > renewMs || block.freeNano < block.amountNano / 2n) this.#open(purse, hold)
    return held
  }

  /** The request was charged to its block, or released. */
  finish(held: Held, chargedNano: bigint): void {
    if (!held.block.running.delete(held)) return
    held.block.freeNano += held.hold.amountNano - chargedNano
    this.#closeDrained(held.block)
  }

  /** The request has a row of its own now, or its block is gone. */
  detach(held: Held): void {
    if (held.block.running.delete(held)) this.#closeDrained(held.block)
  }

  /** Gives back everything of a wallet: requests that run get rows of their own. */
  giveBack(workspaceId: string): void {
    const purse = this.#purses.get(workspaceId)
    if (purse === undefined) return
    purse.recalledAtMs = this.#options.clockMs()
    if (purse.current !== null) this.#retire(purse, purse.current)
    for (const block of purse.draining) {
      for (const held of block.running) if (!held.isCharging) this.#options.carve(held)
    }
  }

  giveBackAll(): void {
    for (const workspaceId of this.#purses.keys()) this.giveBack(workspaceId)
  }

  /** Closes unused blocks, and repeats what failed. Is called several times in `renewMs`. */
  async upkeep(): Promise<void> {
    const { clockMs, store } = this.#options
    const nowMs = clockMs()
    for (const [workspaceId, purse] of this.#purses) {
      this.#upkeepOf(purse, nowMs)
      const isEmpty = purse.current === null && purse.draining.size === 0 && !purse.isOpening
      const usedAtMs = Math.max(purse.askedAtMs, purse.pausedUntilMs, purse.recalledAtMs)
      if (isEmpty && nowMs - usedAtMs > frequentMs) this.#purses.delete(workspaceId)
    }
    for (const [blockId, workspaceId] of this.#lost) {
      await store.forestallBlock({ blockId, workspaceId })
      await this.#closings.add(blockId)
      this.#lost.delete(blockId)
    }
  }

  /** Whether a block is not known to be booked. */
  get areOpen(): boolean {
    const isOpen = ({ current, draining, isOpening }: Purse) => current !== null || draining.size > 0 || isOpening
    return this.#lost.size > 0 || [...this.#purses.values()].some(isOpen)
  }

  /** Resolves when no block is being opened or closed. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working)
  }

  #purseOf(workspaceId: string): Purse {
    const known = this.#purses.get(workspaceId)
    if (known !== undefined) return known
    const never = Number.NEGATIVE_INFINITY
    const since = { askedAtMs: never, pausedUntilMs: never, recalledAtMs: never }
    const purse: Purse = { current: null, draining: new Set(), isOpening: false, ...since, scale: 1n }
    this.#purses.set(workspaceId, purse)
    return purse
  }

  #open(purse: Purse, { workspaceId, amountNano }: Hold): void {
    const { clockMs, newId, size, store, renewMs } = this.#options
    const openedAtMs = clockMs()
    if (purse.isOpening || openedAtMs < purse.pausedUntilMs) return
    purse.isOpening = true
    const blockId = newId()
    const perHoldNano = amountNano > 0n ? amountNano : 1n
    const desiredNano = perHoldNano * BigInt(size.holds) * purse.scale
    const leastNano = perHoldNano * BigInt(size.leastHolds)
    const opening = store.openBlock({ blockId, workspaceId, desiredNano, leastNano }).then(
      (amount) => {
        if (amount === null) this.#refused(purse)
        else this.#use(purse, newBlock({ id: blockId, workspaceId, amountNano: amount, openedAtMs }))
      },
      () => {
        this.#lost.set(blockId, workspaceId)
        purse.pausedUntilMs = clockMs() + renewMs
      },
    )
    this.#track(
      opening.finally(() => {
        purse.isOpening = false
      }),
    )
  }

  /** The wallet became poor or was recalled, so what is left of the current block goes back too. */
  #refused(purse: Purse): void {
    purse.pausedUntilMs = this.#options.clockMs() + this.#options.renewMs
    if (purse.current !== null) this.#retire(purse, purse.current)
  }

  #use(purse: Purse, block: Block): void {
    const before = purse.current
    purse.current = block
    if (before !== null) {
      const isUsedUpEarly = block.openedAtMs - before.openedAtMs < this.#options.renewMs / 2
      if (isUsedUpEarly && purse.scale < maxScale) purse.scale *= 2n
      this.#retire(purse, before)
    }
    if (purse.recalledAtMs >= block.openedAtMs) this.#retire(purse, block)
  }

  #retire(purse: Purse, block: Block): void {
    if (purse.current === block) purse.current = null
    purse.draining.add(block)
    this.#close(purse, block)
  }

  #close(purse: Purse, block: Block): void {
    if (block.running.size > 0 || block.isClosing) return
    block.isClosing = true
    const closing = this.#closings.add(block.id).then(
      () => void purse.draining.delete(block),
      () => {
        block.isClosing = false // `upkeep` tries again
      },
    )
    this.#track(closing)
  }

  #closeDrained(block: Block): void {
    const purse = this.#purses.get(block.workspaceId)
    if (purse?.draining.has(block) === true) this.#close(purse, block)
  }

  #upkeepOf(purse: Purse, nowMs: number): void {
    const { renewMs, carveAfterMs, carve } = this.#options
    if (purse.current !== null && nowMs - purse.current.usedAtMs > renewMs) {
      purse.scale = 1n
      this.#retire(purse, purse.current)
    }
    for (const block of purse.draining) {
      for (const held of block.running) if (!held.isCharging && nowMs - held.takenAtMs > carveAfterMs) carve(held)
      this.#close(purse, block)
    }
  }

  #track(work: Promise<unknown>): void {
    this.#working.add(work)
    void work.finally(() => this.#working.delete(work))
  }
}

function newBlock(opened: Pick<Block, 'id' | 'workspaceId' | 'amountNano' | 'openedAtMs'>): Block {
  const { amountNano, openedAtMs } = opened
  return { ...opened, freeNano: amountNano, running: new Set(), usedAtMs: openedAtMs, isClosing: false }
}
