import type { CallMeter, CallMeterEvents, CallUsage, PaidCall } from '../calls/call-money.ts'
import { larger, sliceMs, smaller, totalCost, worstSlice } from './call-lines.ts'
import { endSlice, type FinishDeps } from './finish-slices.ts'
import { type HeldSlice, holdIdOf, type OpenSlice } from './open-slice.ts'
import type { CallRates } from './price-book.ts'
import type { SliceCheckpoints, SliceReport } from './slice-checkpoints.ts'

export interface MeterDeps extends FinishDeps {
  readonly checkpoints: SliceCheckpoints
  readonly openSlice: OpenSlice
  /** A monotonic clock. */
  readonly nowMs: () => number
}

export interface MeterStart {
  readonly call: PaidCall
  readonly rates: CallRates
  readonly slice: HeldSlice
  /** What the slices before this one cost. */
  readonly paidNano: bigint
  readonly usage: CallUsage
}

/** The next slice is asked for when this much of a slice is over, and again after each `retryMs`. */
const askAfterMs = 30_000
const retryMs = 2_000
/** Before the end of what is paid, the agent says so. */
const lowMs = 15_000

/** Pays a call slice by slice, while a worker holds it. Time passes by its checkpoints. */
export function createMeter(deps: MeterDeps, start: MeterStart, events: CallMeterEvents): CallMeter {
  const meter = new Meter(deps, start, events)
  return {
    checkpoint: (usage) => meter.checkpoint(usage),
    settle: (usage) => meter.settle(usage),
  }
}

class Meter {
  readonly #deps: MeterDeps
  readonly #start: MeterStart
  readonly #events: CallMeterEvents
  #slice: HeldSlice
  #sliceFromMs: number
  #paidNano: bigint
  #usage: CallUsage
  #next: HeldSlice | null = null
  /** The next slice, when it is not known whether it is held. */
  #uncertain: HeldSlice | null = null
  #nextNumber: number
  /** The request of the next slice that is under way. */
  #asking: Promise<void> | null = null
  #askAgainAtMs = 0
  #isRefused = false
  #isLowSaid = false
  #isOver = false
  readonly #ending = new Set<Promise<void>>()

  constructor(deps: MeterDeps, start: MeterStart, events: CallMeterEvents) {
    this.#deps = deps
    this.#start = start
    this.#events = events
    this.#slice = start.slice
    this.#nextNumber = start.slice.number + 1
    this.#sliceFromMs = deps.nowMs()
    this.#paidNano = start.paidNano
    this.#usage = start.usage
    this.#note(this.#slice)
  }

  checkpoint(usage: CallUsage): void {
    if (this.#isOver) return
    this.#usage = usage
    const elapsedMs = this.#deps.nowMs() - this.#sliceFromMs
    if (elapsedMs >= sliceMs || this.#isUsedUp()) this.#turnOver(Math.min(elapsedMs, sliceMs))
    if (this.#isOver) return
    this.#note(this.#slice)
    const isHalfUsed = elapsedMs >= askAfterMs || this.#dueNano() * 2n >= this.#slice.amountNano
    if (!isHalfUsed || elapsedMs >= sliceMs) return
    this.#askForNext()
    const leftMs = sliceMs - elapsedMs
    if (this.#isRefused && leftMs <= lowMs && !this.#isLowSaid) {
      this.#isLowSaid = true
      this.#events.onLow(leftMs)
    }
  }

  async settle(usage: CallUsage): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true
      this.#usage = usage
      this.#end(this.#slice)
    }
    await this.#asking
    const left = this.#next ?? this.#uncertain
    if (left !== null) this.#end(left)
    this.#next = null
    this.#uncertain = null
    while (this.#ending.size > 0) await Promise.all(this.#ending)
  }

  /** What was used and is not paid by earlier slices. */
  #dueNano(): bigint {
    return totalCost(this.#usage, this.#start.rates) - this.#paidNano
  }

  /** What a slice has cost until now. What goes beyond its amount is a part of the next one. */
  #costOf({ amountNano }: HeldSlice): bigint {
    return larger(smaller(this.#dueNano(), amountNano), 0n)
  }

  /**
   * Whether more was used than the slice covers, before its minute is over: callers who interrupt, and lines that are cut by the
   * next one, cost more than what is heard. While the next slice is asked for, as much again may be used.
   */
  #isUsedUp(): boolean {
    const { amountNano } = this.#slice
    const isAsking = this.#next === null && !this.#isRefused
    return this.#dueNano() > (isAsking ? amountNano * 2n : amountNano)
  }

  #reportOf(slice: HeldSlice, costNano: bigint): SliceReport {
    const { workspaceId, callId } = this.#start.call
    return { workspaceId, callId, number: slice.number, holdId: slice.holdId, usage: this.#usage, costNano }
  }

  #note(slice: HeldSlice): void {
    this.#deps.checkpoints.note(this.#reportOf(slice, this.#costOf(slice)))
  }

  #end(slice: HeldSlice): void {
    const costNano = this.#costOf(slice)
    this.#paidNano += costNano
    this.#deps.checkpoints.forget(slice.holdId)
    const ending = endSlice(this.#deps, this.#reportOf(slice, costNano))
    this.#ending.add(ending)
    void ending.then(() => this.#ending.delete(ending))
  }

  #turnOver(elapsedMs: number): void {
    if (this.#next === null) {
      this.#isOver = true
      this.#end(this.#slice)
      this.#events.onEmpty(this.#isRefused ? 'insufficient_credits' : 'billing_unavailable')
      return
    }
    this.#end(this.#slice)
    this.#slice = this.#next
    this.#next = null
    this.#sliceFromMs += elapsedMs
    this.#askAgainAtMs = 0
    this.#isRefused = false
    this.#isLowSaid = false
  }

  #askForNext(): void {
    const { nowMs } = this.#deps
    if (this.#next !== null || this.#asking !== null || nowMs() < this.#askAgainAtMs) return
    this.#askAgainAtMs = nowMs() + retryMs
    this.#asking = this.#ask().finally(() => {
      this.#asking = null
    })
  }

  async #ask(): Promise<void> {
    const { call, rates } = this.#start
    const number = this.#nextNumber
    // With what goes beyond the present slice.
    const amountNano = worstSlice(rates) + larger(this.#dueNano() - this.#slice.amountNano, 0n)
    try {
      const opened = await this.#deps.openSlice(call, { number, rates, amountNano })
      this.#isRefused = opened === 'refused'
      this.#uncertain = null
      // A refused or closed slice is over; the next attempt has a number of its own.
      if (opened === 'refused' || opened === 'closed') this.#nextNumber += 1
      else this.#hold(opened)
    } catch {
      this.#isRefused = false
      this.#uncertain = { number, holdId: holdIdOf(call.callId, number), amountNano }
    }
  }

  #hold(next: HeldSlice): void {
    this.#next = next
    this.#nextNumber = next.number + 1
    // Its worker lives, also before it is used.
    if (!this.#isOver) this.#deps.checkpoints.note(this.#reportOf(next, 0n))
  }
}
