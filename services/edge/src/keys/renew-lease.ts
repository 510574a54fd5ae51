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
}

export interface LeaseRenewals {
  /** Renews now: keys were changed. */
  hurry(): void
  /** Ends the lease, so that no change of a key waits for this edge. */
  stop(): Promise<void>
}

/** Renews a lease until it is stopped, one statement after the other. */
export function startLeaseRenewals({ lease, store, newLeaseId, events, everyMs }: RenewOptions): LeaseRenewals {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let isDueNow = false
  let isStopped = false
  let hasFailed = false

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
    running = renewOnce().then((isDue) => {
      running = null
      if (isDue || (isDueNow && !hasFailed)) start()
      else if (!isStopped) timer = setTimeout(start, Math.max(0, everyMs - (performance.now() - startedAtMs)))
    })
  }

  start()
  return {
    hurry: start,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
      const leaseId = lease.end()
      if (leaseId !== null) await store.leave(leaseId).catch(() => undefined)
    },
  }
}
