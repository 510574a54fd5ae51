export interface GroupCommitOptions<Item, Result> {
  /** Runs one batch of 1..`maxBatch` items. It must return one result per item, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Maximum number of concurrent batches, ≥ 1. */
  readonly maxInFlight?: number
  /**
   * Milliseconds for which a batch runs alone before the next may overlap it. Items that arrive meanwhile share
   * one batch, which costs less than two; a slow or stuck batch delays the others by no more than this.
   */
  readonly overlapAfterMs?: number
  /** Milliseconds for which a batch waits for more items unless it is full; by default the rest of the turn. */
  readonly gatherMs?: number
  /** Maximum number of items in one batch, ≥ 1. */
  readonly maxBatch?: number
  /** Maximum number of waiting items; beyond it `add` rejects with `BatchQueueFull`. */
  readonly maxQueued?: number
}

export interface GroupCommit<Item, Result> {
  /** Adds an item to the next batch. Resolves with its result, or rejects with its batch's error. */
  add(item: Item): Promise<Result>
  /** Resolves when no item waits and no batch runs. */
  idle(): Promise<void>
}

/** More items wait for a batch than `maxQueued` allows. */
export class BatchQueueFull extends Error {
  override name = 'BatchQueueFull'
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit: items that arrive while batches are in flight are sent together in the next
 * one. Without `gatherMs` there is no timer, so an idle process adds no delay; items of one turn of the event loop
 * share a batch, because a batch starts when the turn's I/O has been read.
 */
export function createGroupCommit<Item, Result>({
  run,
  maxInFlight = 2,
  overlapAfterMs = 0,
  gatherMs = 0,
  maxBatch = 200,
  maxQueued = 10_000,
}: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  let queue: Waiting<Item, Result>[] = []
  let inFlight = 0
  let lastStartMs = Number.NEGATIVE_INFINITY
  let overlapScheduled = false
  const onIdle: (() => void)[] = []

  const startThisTurn = onceScheduled((start) => setImmediate(start), startBatches)
  const startGathered = onceScheduled((start) => setTimeout(start, gatherMs), startBatches)

  function scheduleStart(): void {
    if (inFlight >= maxInFlight) return
    if (gatherMs > 0 && queue.length < maxBatch) startGathered()
    else startThisTurn()
  }

  /** Whether a batch may start now. If it may start later, a timer is set. */
  function mayStart(): boolean {
    if (inFlight === 0 || overlapAfterMs === 0) return true
    const restMs = lastStartMs + overlapAfterMs - performance.now()
    if (restMs <= 0) return true
    if (!overlapScheduled) setTimeout(startOverlap, restMs)
    overlapScheduled = true
    return false
  }

  function startOverlap(): void {
    overlapScheduled = false
    startBatches()
  }

  function startBatches(): void {
    while (inFlight < maxInFlight && queue.length > 0 && mayStart()) {
      lastStartMs = performance.now()
      const batch = queue.slice(0, maxBatch)
      queue = queue.slice(maxBatch)
      inFlight += 1
      void runBatch(run, batch).finally(() => {
        inFlight -= 1
        if (gatherMs === 0) startBatches()
        else if (queue.length > 0) scheduleStart()
        if (inFlight === 0 && queue.length === 0) for (const resolve of onIdle.splice(0)) resolve()
      })
    }
  }

  return {
    add(item) {
      if (queue.length >= maxQueued) return Promise.reject(new BatchQueueFull(`${maxQueued} items already wait`))
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject })
        scheduleStart()
      })
    },
    idle() {
      if (inFlight === 0 && queue.length === 0) return Promise.resolve()
      return new Promise((resolve) => {
        onIdle.push(resolve)
      })
    },
  }
}

/** Schedules a call unless one is scheduled already. */
function onceScheduled(schedule: (call: () => void) => unknown, work: () => void): () => void {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    schedule(() => {
      isScheduled = false
      work()
    })
  }
}

async function runBatch<Item, Result>(
  run: GroupCommitOptions<Item, Result>['run'],
  batch: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    if (results.length !== batch.length) {
      throw new Error(`a batch of ${batch.length} items was answered with ${results.length} results`)
    }
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
