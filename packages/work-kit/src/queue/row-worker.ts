import type { QueueDef } from '@ratchet/contracts/queues'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { traceWork } from '@ratchet/telemetry/spans'
import type { z } from 'zod'
import { pollForWork } from '../polling/poll-for-work.ts'
import type { WorkChanges } from '../polling/work-changes.ts'
import { type QueueWorkerOptions, startNotificationWorker } from './queue.ts'
import { rememberCauses } from './queue-telemetry.ts'
import { createWorkPlaces, type PlacedWork } from './work-places.ts'

/** Rows of one kind, the queue that notifies workers of them, and what a worker does with one. */
export interface RowWork<Def extends QueueDef, Row>
  extends Pick<PlacedWork<Row>, 'take' | 'process' | 'workspaceOf' | 'concurrency'> {
  readonly queue: Def
  /** The id of the row that a message announces. */
  readonly announced: (payload: z.output<Def['payload']>) => string
  /** Ids of rows that are due, with or without a message. */
  readonly due: (limit: number) => Promise<readonly string[]>
}

/** Takes rows that are due into free places. Resolves with how many were found. */
export type Reconcile = () => Promise<number>

/** Interval between searches for rows that no message announced, milliseconds. */
const reconcileEveryMs = 2_000

/**
 * Starts the consumer of a queue. A message only leads to a search: the workspace that has the fewest rows in progress is
 * next, whichever row the message is about.
 */
export function startRowWorker<Def extends QueueDef, Row extends { readonly id: string }>(
  { queue, announced, due, process, ...work }: RowWork<Def, Row>,
  options: Omit<QueueWorkerOptions, 'concurrency'>,
): Reconcile {
  const causes = rememberCauses()
  const attributes = { 'messaging.destination.name': queue.name }
  const places = createWorkPlaces<Row>({
    ...work,
    process: (row) =>
      traceWork(
        `process ${queue.name}`,
        attributes,
        () => process(row),
        () => causes.take(row.id),
      ),
    onError: options.onError,
    onProgress: options.onProgress,
  })
  options.onStop(places.stop)
  startNotificationWorker(
    queue,
    (payload) => {
      causes.remember(announced(payload))
      places.fill().catch(options.onError)
    },
    options,
  )
  return async () => {
    const started = await places.fill()
    return started + (await due(1)).length
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
