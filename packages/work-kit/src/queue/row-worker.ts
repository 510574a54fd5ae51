import type { QueueDef } from '@ratchet/contracts/queues'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import type { z } from 'zod'
import { pollForWork } from '../polling/poll-for-work.ts'
import type { WorkChanges } from '../polling/work-changes.ts'
import { type QueueWorkerOptions, startQueueWorker } from './queue.ts'

/** Rows of one kind, the queue that notifies workers of them, and what a worker does with one. */
export interface RowWork<Def extends QueueDef> {
  readonly queue: Def
  /** Processes the row of a message. It may run twice for one row. */
  readonly process: (payload: z.output<Def['payload']>) => Promise<void>
  /** Rows processed at the same time. */
  readonly concurrency: number
  /** Ids of rows that are due, with or without a message. */
  readonly due: (limit: number) => Promise<readonly string[]>
  /** Notifies workers of rows. */
  readonly notify: (ids: readonly string[]) => Promise<void>
}

/** Notifies workers of the rows that are due. Resolves with how many were found. */
export type Reconcile = () => Promise<number>

/** Rows found by one search. */
const maxFound = 500
/** Interval between searches for rows that no message announced, milliseconds. */
const reconcileEveryMs = 2_000

/** Starts the consumer of a queue. */
export function startRowWorker<Def extends QueueDef>(
  { queue, process, concurrency, due, notify }: RowWork<Def>,
  options: Omit<QueueWorkerOptions, 'concurrency'>,
): Reconcile {
  startQueueWorker(queue, process, { ...options, concurrency })
  return async () => {
    const ids = await due(maxFound)
    await notify(ids)
    return ids.length
  }
}

export interface ReconcileOptions {
  readonly changes: WorkChanges
  readonly onStop: OnStop
  /** Called when the first search found nothing to do. */
  readonly onProgress: () => void
  readonly onError: (error: unknown) => void
}

/** Searches the rows again and again: a message may be lost, and nothing announces a retry or a lease that ended. */
export function reconcileRows(
  [items, ...others]: readonly [Reconcile, ...Reconcile[]],
  { changes, onStop, onProgress, onError }: ReconcileOptions,
): void {
  const work = async () => {
    let found = await items()
    if (found === 0) onProgress()
    for (const reconcile of others) found += await reconcile()
    return found
  }
  onStop(pollForWork({ everyMs: reconcileEveryMs, changes, work, onError }))
}
