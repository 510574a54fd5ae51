import { setTimeout as delay } from 'node:timers/promises'
import { createHeartbeat, type Deadline, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import { type Closing, type Ledger, LedgerUnavailable, type OnLedgerEvent, type Settled } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import type { Spill } from './spill-store.ts'

export interface SpillingLedgerOptions {
  readonly store: LedgerStore
  readonly spill: Spill
  readonly onEvent: OnLedgerEvent
  /** Is called with closings that failed for another reason than an unavailable database. */
  readonly onError: (error: unknown) => void
  /** Milliseconds that an answer waits for its charge before the charge is spilled. */
  readonly waitMs?: number
}

export interface SpillingLedger extends Ledger {
  /**
   * Commits the closings that had to wait: those of this process, and all that are in the spill.
   *
   * @returns the number that still waits
   */
  replay(): Promise<number>
  /** Number of closings that wait: those of this process, and those that it last found in the spill. */
  readonly waiting: number
  /** Puts every waiting closing into the spill, for other processes. */
  leave(): Promise<void>
}

/** Closings that are not known to be committed, by request id. */
type Waiting = Map<string, Closing>

const firstPauseMs = 20
const replaysAtOnce = 200

/**
 * A ledger that loses no closing. One that does not commit in time is in the spill before its caller continues, and is
 * repeated by this process or another one until it is committed.
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
        // it may be held nevertheless; its caller will not settle it, so it is closed from here
        if (error instanceof LedgerUnavailable && error.uncertain) waiting.set(hold.billingId, voided(hold))
        throw error
      }
    },
    checkpoint: (checkpoint) => store.checkpoint(checkpoint),
    settle: ({ billingId, workspaceId, costNano, logRow = null, tokens }) => {
      const closing = { billingId, workspaceId, costNano, outcome: 'posted', logRow } as const
      return close(tokens === undefined ? closing : { ...closing, tokens })
    },
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
  const complete = store.complete(closing)
  waiting.set(closing.billingId, complete)
  await spillClosing(options, complete)
  attempts.then(() => removeSpilled(options, waiting, closing)).catch(() => undefined) // replay retries
  return { chargedNano: closing.costNano, committed: false }
}

/** Never has a heartbeat, so a charge waits for its own time only, however busy the database is. */
const noPulse = createHeartbeat()

function deadlineOf(waitMs: number): Deadline {
  const onLate = () => new LedgerUnavailable(`not committed in ${waitMs} ms`, { uncertain: true })
  return { silenceMs: waitMs, maxMs: waitMs, pulse: noPulse, onLate }
}

/** Tries until it succeeds or its time is over. The last attempt is not interrupted. */
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

async function spillClosing(
  { spill, onEvent }: SpillingLedgerOptions,
  { billingId, ...closing }: Closing,
): Promise<void> {
  const isSpilled = await spill.put({ billingId, ...closing })
  onEvent({ kind: isSpilled ? 'spill' : 'spill_failed', billingId })
}

async function removeSpilled(
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
    if (!done.includes(true)) break // the database is still unavailable
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
  await removeSpilled(options, waiting, closing) // committed, or such that a repetition cannot succeed
  return true
}
