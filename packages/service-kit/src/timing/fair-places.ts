import { ServiceError } from '../http/service-error.ts'

/** Places for work that uses the same resource, such as a pool of connections. */
export interface FairPlaces {
  /**
   * Runs the work in a place, as soon as its owner may have one.
   *
   * @param owner id of the workspace
   * @throws ServiceError `service_unavailable` when the owner waited too long, or too much work waits; and what the work
   *   throws
   */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>
}

export interface FairPlacesOptions {
  readonly places: number
  /** Maximum places of one owner, so that the work of others need not wait for that of one. */
  readonly maxOfOwner: number
  /** Milliseconds that work waits at most. */
  readonly maxWaitMs?: number
  /** How much work may wait: of one owner, and of all. What is beyond that is refused at once. Absent: any. */
  readonly maxWaiting?: { readonly ofOwner: number; readonly ofAll: number }
  /**
   * A clock, milliseconds. With it, a free place is given to the waiting owner whose work has taken least time of late, so that
   * an owner with long work gets fewer turns; without it, to the owners in turn.
   */
  readonly nowMs?: () => number
}

interface Owner {
  running: number
  /** What starts waiting work, the oldest first. */
  readonly waiting: Set<() => void>
  /** What its work has taken, milliseconds, as others count it. Always 0 without a clock. */
  usedMs: number
}

const unlimited = { ofOwner: Number.POSITIVE_INFINITY, ofAll: Number.POSITIVE_INFINITY }

/** Runs all work at once, for callers without a limit. */
export const unlimitedPlaces: FairPlaces = { run: (_owner, work) => work() }

/**
 * Work beyond the places waits in a queue of its owner, and a free place is given to the owners with waiting work in turn, or to
 * the one that used least time.
 */
export function createFairPlaces({
  places,
  maxOfOwner,
  maxWaitMs = 5_000,
  maxWaiting = unlimited,
  nowMs = () => 0,
}: FairPlacesOptions): FairPlaces {
  /** In the order in which they get the next free place: an owner whose work ended is the last one. */
  const owners = new Map<string, Owner>()
  let running = 0
  let waiting = 0

  function enter(owner: Owner): void {
    running += 1
    owner.running += 1
  }

  function leave(id: string, owner: Owner): void {
    running -= 1
    owner.running -= 1
    owners.delete(id)
    if (!isIdle(owner)) owners.set(id, owner)
    startWaiting()
  }

  function startWaiting(): void {
    for (const owner of [...owners.values()].sort((one, other) => one.usedMs - other.usedMs)) {
      if (running >= places) return
      const [start] = owner.waiting
      if (start !== undefined && owner.running < maxOfOwner) start()
    }
  }

  /** Who comes back after a while begins like the present owner that used least: time without work is not saved up. */
  function newOwner(): Owner {
    const used = [...owners.values()].map(({ usedMs }) => usedMs)
    return { running: 0, waiting: new Set(), usedMs: used.length === 0 ? 0 : Math.min(...used) }
  }

  function wait(id: string, owner: Owner): Promise<void> {
    if (owner.waiting.size >= maxWaiting.ofOwner || waiting >= maxWaiting.ofAll) {
      if (isIdle(owner)) owners.delete(id)
      return Promise.reject(tooMany())
    }
    return new Promise((resolve, reject) => {
      const stopWaiting = () => {
        waiting -= 1
        owner.waiting.delete(start)
      }
      const timer = setTimeout(() => {
        stopWaiting()
        if (isIdle(owner)) owners.delete(id)
        reject(tooMany())
      }, maxWaitMs)
      const start = () => {
        clearTimeout(timer)
        stopWaiting()
        enter(owner)
        resolve()
      }
      waiting += 1
      owner.waiting.add(start)
    })
  }

  return {
    async run(id, work) {
      const owner = owners.get(id) ?? newOwner()
      owners.set(id, owner)
      const isFree = running < places && owner.running < maxOfOwner && owner.waiting.size === 0
      if (isFree) enter(owner)
      else await wait(id, owner)
      const startedMs = nowMs()
      try {
        return await work()
      } finally {
        owner.usedMs += nowMs() - startedMs
        leave(id, owner)
      }
    },
  }
}

function tooMany(): ServiceError {
  return new ServiceError('service_unavailable', 'Too many requests at once.', { retryAfterSeconds: 1 })
}

function isIdle({ running, waiting }: Owner): boolean {
  return running === 0 && waiting.size === 0
}
