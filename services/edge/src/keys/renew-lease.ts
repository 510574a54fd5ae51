import type { EdgeEvents } from '../events.ts'
import type { KeyLease, LeaseRequest } from './key-lease.ts'
import type { LeaseStore } from './lease-store.ts'

export interface RenewOptions {
  readonly lease: KeyLease
  readonly store: LeaseStore
  readonly newLeaseId: () => string
  readonly events: Pick<EdgeEvents, 'keyLeaseLost' | 'keyLeaseHeld'>
  /** Milliseconds from the start of one renewal to the start of the next. */
  readonly everyMs: number
  /** Number of renewals in a row between which no key was asked for, after which the lease is let go. */
  readonly restAfter: number
}

export interface LeaseRenewals {
  /** Whether the lease was let go because no request came. */
  readonly isResting: boolean
  /** Renews now: keys were changed. */
  hurry(): void
  /** A key is read: takes a lease again if it was let go. */
  wake(): void
  /** Ends the lease, so that no change of a key waits for this edge. */
  stop(): Promise<void>
}

/**
 * Renews a lease until it is stopped, one statement after the other. An edge without requests lets its lease go, so that it
 * costs nothing; the first request then reads its key, as without a lease.
 */
export function startLeaseRenewals(options: RenewOptions): LeaseRenewals {
  const { lease, store, newLeaseId, events, everyMs, restAfter } = options
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isDueNow = false
  let isStopped = false
  let hasFailed = false
  let isResting = false
  const isUnused = watchUses(lease, restAfter)

  async function send(request: LeaseRequest) {
    if (request.kind === 'join') return store.join(request.leaseId)
    return store.renew(request.leaseId, request.ackedVersion)
  }

  /** @returns whether the next statement is due at once */
  async function renewOnce(): Promise<boolean> {
    try {
      const request = lease.nextRequest(newLeaseId())
      const isDue = lease.receive(request, await send(request))
      if (hasFailed) events.keyLeaseHeld()
      hasFailed = false
      return isDue
    } catch (cause) {
      if (!hasFailed && !isStopped) events.keyLeaseLost(cause)
      hasFailed = true
      return false
    }
  }

  function start(): void {
    if (isStopped) return
    if (running !== null) {
      isDueNow = true
      return
    }
    clearTimeout(timer)
    isDueNow = false
    const startedAtMs = performance.now()
    isResting = isUnused()
    running = (isResting ? letGo(options) : renewOnce()).then((isDue) => {
      running = null
      if (isDue || (isDueNow && !hasFailed)) start()
      else if (!isStopped && !isResting)
        timer = setTimeout(start, Math.max(0, everyMs - (performance.now() - startedAtMs)))
    })
  }

  start()
  return {
    get isResting() {
      return isResting
    },
    hurry() {
      if (!isResting) start()
    },
    wake() {
      if (isResting) start()
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
      await letGo(options)
    },
  }
}

/** Counts steps between which no key was asked for; true at the one that makes enough of them, and then anew. */
function watchUses(lease: Pick<KeyLease, 'uses'>, restAfter: number): () => boolean {
  let before = lease.uses
  let unused = 0
  return () => {
    unused = lease.uses === before ? unused + 1 : 0
    before = lease.uses
    if (unused < restAfter) return false
    unused = 0
    return true
  }
}

/** Forgets all keys first: nothing may be answered from memory when others no longer wait for this edge. */
async function letGo({ lease, store }: RenewOptions): Promise<boolean> {
  const leaseId = lease.end()
  if (leaseId !== null) await store.leave(leaseId).catch(() => undefined)
  return false
}
