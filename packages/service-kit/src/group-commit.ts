export interface GroupCommitOptions<Item, Result> {
  /** Runs one batch, 1..`maxBatch` items; must answer one result per item, in order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  /** Batches that may run at the same time, ≥ 1. */
  readonly maxInFlight?: number
  /**
   * Milliseconds for which a batch runs alone before the next may overlap it. What arrives meanwhile shares
   * one batch, which costs less than two; a slow or stuck batch does not hold the others up for longer.
   */
  readonly overlapAfterMs?: number
  /** Items in one batch, ≥ 1. */
  readonly maxBatch?: number
  /** Items that may wait for a batch; beyond it `add` rejects with `BatchQueueFull`. */
  readonly maxQueued?: number
}

export interface GroupCommit<Item, Result> {
  /** Puts an item into the next batch and resolves with its result, or rejects with its batch's error. */
  add(item: Item): Promise<Result>
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
}

/** More items wait for a batch than the batcher was told to keep. */
export class BatchQueueFull extends Error {
  override name = 'BatchQueueFull'
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Natural group commit: whatever arrives while batches are in flight leaves together in the next
 * one. There is no timer, so an idle process adds no delay; items of one turn of the event loop
 * share a batch, because a batch starts when the turn's I/O has been read.
 */
export function createGroupCommit<Item, Result>({
  run,
  maxInFlight = 2,
  overlapAfterMs = 0,
  maxBatch = 200,
  maxQueued = 10_000,
}: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  let queue: Waiting<Item, Result>[] = []
  let inFlight = 0
  let startScheduled = false
  let lastStartMs = Number.NEGATIVE_INFINITY
  let overlapScheduled = false
  const onIdle: (() => void)[] = []

  function scheduleStart(): void {
    if (startScheduled || inFlight >= maxInFlight) return
    startScheduled = true
    setImmediate(() => {
      startScheduled = false
      startBatches()
    })
  }

  /** Whether a batch may start now; sees to it that it starts later when only time is missing. */
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
        startBatches()
        if (inFlight === 0) for (const resolve of onIdle.splice(0)) resolve()
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
