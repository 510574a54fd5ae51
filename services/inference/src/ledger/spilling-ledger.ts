import { setTimeout as delay } from 'node:timers/promises'
import { createHeartbeat, type Deadline, withTimeout } from '@ratchet/service-kit/with-timeout'
import { type Closing, type Ledger, LedgerUnavailable, type OnLedgerEvent, type Settled } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import type { Spill } from './spill-store.ts'

export interface SpillingLedgerOptions {
  readonly store: LedgerStore
  readonly spill: Spill
  readonly onEvent: OnLedgerEvent
  /** Hears of closings that failed for another reason than an absent database. */
  readonly onError: (error: unknown) => void
  /** Milliseconds an answer waits for its charge before the charge is spilled instead. */
  readonly waitMs?: number
}

export interface SpillingLedger extends Ledger {
  /**
   * Commits what had to wait: this process's own closings and whatever anybody spilled.
   *
   * @returns how many still wait.
   */
  replay(): Promise<number>
  /** Closings that wait: this process's own, and what it found in the spill when it last looked. */
  readonly waiting: number
  /** Puts everything that still waits into the spill, for whoever comes after this process. */
  leave(): Promise<void>
}

/** Closings not known to be committed, by request id. */
type Waiting = Map<string, Closing>

const firstPauseMs = 20
const replaysAtOnce = 200

/**
 * A ledger that loses no closing: one that does not commit in time is in the spill before its caller
 * goes on, and is repeated until it is committed, by this process or by any other.
 */
export function createSpillingLedger(options: SpillingLedgerOptions): SpillingLedger {
  const { store, spill } = options
  const waiting: Waiting = new Map()
  const closings = new Set<Promise<unknown>>()

  function close(closing: Closing): Promise<Settled> {
    const settled = closeInTime(options, waiting, closing)
    closings.add(settled)
    settled.catch(() => undefined).finally(() => closings.delete(settled))
    return settled
  }

  return {
    async hold(hold) {
      try {
        return await store.hold(hold)
      } catch (error) {
        // it may be held after all: nobody will settle it, so it has to be closed from here
        if (error instanceof LedgerUnavailable && error.uncertain) waiting.set(hold.billingId, voided(hold))
        throw error
      }
    },
    checkpoint: (checkpoint) => store.checkpoint(checkpoint),
    settle: ({ billingId, workspaceId, costNano }) => close({ billingId, workspaceId, costNano, outcome: 'posted' }),
    async release(billingId, workspaceId) {
      await close(voided({ billingId, workspaceId }))
    },
    async flush() {
      await Promise.allSettled(closings)
      await store.idle()
    },
    replay: () => replayAll(options, waiting),
    get waiting() {
      return waiting.size
    },
    async leave() {
      await Promise.all([...waiting.values()].map((closing) => spill.put(closing)))
    },
  }
}

function voided({ billingId, workspaceId }: { billingId: string; workspaceId: string }): Closing {
  return { billingId, workspaceId, costNano: 0n, outcome: 'voided' }
}

async function closeInTime(options: SpillingLedgerOptions, waiting: Waiting, closing: Closing): Promise<Settled> {
  const { store, waitMs = 250 } = options
  const clock = { isOver: false }
  const attempts = closeRepeatedly(store, closing, clock)
  try {
    return { ...(await withTimeout(attempts, deadlineOf(waitMs))), committed: true }
  } catch (error) {
    if (error instanceof RangeError) throw error
    if (!(error instanceof LedgerUnavailable)) options.onError(error)
  } finally {
    clock.isOver = true
  }
  waiting.set(closing.billingId, closing)
  await keep(options, closing)
  attempts.then(() => forget(options, waiting, closing)).catch(() => undefined) // replay tries again
  return { chargedNano: closing.costNano, committed: false }
}

/** Never beats: a charge's time is over when it is over, however busy the database is. */
const noPulse = createHeartbeat()

function deadlineOf(waitMs: number): Deadline {
  const onLate = () => new LedgerUnavailable(`not committed in ${waitMs} ms`, { uncertain: true })
  return { silenceMs: waitMs, maxMs: waitMs, pulse: noPulse, onLate }
}

/** Tries until it succeeds, or until its time is over; the last attempt is left to end by itself. */
async function closeRepeatedly(
  store: LedgerStore,
  closing: Closing,
  clock: { readonly isOver: boolean },
): Promise<{ readonly chargedNano: bigint }> {
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    try {
      return await store.close(closing)
    } catch (error) {
      if (!(error instanceof LedgerUnavailable) || clock.isOver) throw error
      await delay(pauseMs)
      if (clock.isOver) throw error
    }
  }
}

async function keep({ spill, onEvent }: SpillingLedgerOptions, { billingId, ...closing }: Closing): Promise<void> {
  const kept = await spill.put({ billingId, ...closing })
  onEvent({ kind: kept ? 'spill' : 'spill_failed', billingId })
}

async function forget(
  { spill, onEvent }: SpillingLedgerOptions,
  waiting: Waiting,
  { billingId }: Closing,
): Promise<void> {
  if (!waiting.delete(billingId)) return
  await spill.remove(billingId)
  onEvent({ kind: 'replay', billingId })
}

async function replayAll(options: SpillingLedgerOptions, waiting: Waiting): Promise<number> {
  for (const closing of await options.spill.list()) {
    if (!waiting.has(closing.billingId)) waiting.set(closing.billingId, closing)
  }
  const closings = [...waiting.values()]
  for (let start = 0; start < closings.length; start += replaysAtOnce) {
    const batch = closings.slice(start, start + replaysAtOnce)
    const done = await Promise.all(batch.map((closing) => replayOne(options, waiting, closing)))
    if (!done.includes(true)) break // the database is still away
  }
  return waiting.size
}

async function replayOne(options: SpillingLedgerOptions, waiting: Waiting, closing: Closing): Promise<boolean> {
  try {
    await options.store.close(closing)
  } catch (error) {
    if (!(error instanceof LedgerUnavailable)) options.onError(error)
    if (!(error instanceof RangeError)) return false
  }
  await forget(options, waiting, closing) // committed, or such that no repetition would make it right
  return true
}
