import type { Share } from '../leases/leased-item.ts'
import { leaseMs } from '../leases/with-lease.ts'

/** Rows that a process leases and works on. */
export interface PlacedWork<Row> {
  /** Leases due rows, those first whose workspace has the fewest in progress. */
  readonly take: (share: Share, leaseMs: number) => Promise<readonly Row[]>
  readonly process: (row: Row) => Promise<void>
  readonly workspaceOf: (row: Row) => string
  /** Maximum rows of one workspace that are in progress at the same time. */
  readonly concurrency: number
  /** Called when taking rows or processing one failed. */
  readonly onError: (error: unknown) => void
  /** Called when a row was processed. */
  readonly onProgress: () => void
}

export interface WorkPlaces {
  /** Starts due rows in all free places. Concurrent calls share one search. Resolves with how many rows were started. */
  fill(): Promise<number>
  /** Takes no more rows. Resolves when none is in progress. */
  stop(): Promise<void>
}

/** Places of a process in which one workspace alone fills `concurrency`. */
export function placesFor(concurrency: number): number {
  return concurrency + Math.ceil(concurrency / 4)
}

/**
 * The places in which a process works on rows. One workspace alone fills `concurrency` of them. A quarter as many, at least one,
 * are left for the other workspaces, so that their work begins at once, however long that of the first one takes.
 */
export function createWorkPlaces<Row>(work: PlacedWork<Row>): WorkPlaces {
  const { take, process, workspaceOf, concurrency, onError, onProgress } = work
  const places = placesFor(concurrency)
  const inProgress = new Map<Row, Promise<void>>()
  let filling = Promise.resolve(0)
  let isFilling = false
  let isCalledAgain = false
  let isStopped = false

  async function fillFree(): Promise<number> {
    let started = 0
    isFilling = true
    try {
      do {
        isCalledAgain = false
        const limit = places - inProgress.size
        if (isStopped || limit === 0) break
        const share = { limit, inProgress: [...inProgress.keys()].map(workspaceOf), maxOfWorkspace: concurrency }
        const taken = await take(share, leaseMs)
        for (const row of taken) start(row)
        started += taken.length
      } while (isCalledAgain)
    } finally {
      isFilling = false
    }
    return started
  }

  function start(row: Row): void {
    const ended = process(row).catch(onError)
    inProgress.set(
      row,
      ended.then(() => {
        inProgress.delete(row)
        onProgress()
        fill().catch(onError)
      }),
    )
  }

  function fill(): Promise<number> {
    isCalledAgain = true
    if (!isFilling) filling = fillFree()
    return filling
  }

  return {
    fill,
    async stop() {
      isStopped = true
      await filling.catch(() => 0)
      await Promise.all(inProgress.values())
    },
  }
}
