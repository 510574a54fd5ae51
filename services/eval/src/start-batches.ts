import { batchLineQueue, batchQueue } from '@ratchet/contracts/queues'
import type { Pool } from '@ratchet/db/connect-pool'
import type { FleetClients } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createRowNotifier } from '@ratchet/work-kit/queue/queue'
import { type Reconcile, type RowWork, startRowWorker } from '@ratchet/work-kit/queue/row-worker'
import { advanceBatch } from './batches/advance-batch.ts'
import { answerLine } from './batches/answer-line.ts'
import type { LeasedBatch, LeasedLine } from './batches/batch.ts'
import { doLine } from './batches/do-line.ts'
import { createPgBatches } from './batches/pg-batches.ts'
import { createPgLines } from './batches/pg-lines.ts'
import type { WorkerEvents } from './events.ts'

/** Requests of one workspace's batches that a worker answers at the same time. Few, because nobody waits for them. */
export const linesAtOnce = 8

export interface BatchContext {
  readonly pool: Pool
  readonly fleet: FleetClients
  readonly now: () => Date
  readonly events: Pick<WorkerEvents, 'batchLine' | 'batch'>
  readonly queue: Parameters<typeof createRowNotifier>[1]
  readonly onProgress: () => void
}

/** Starts the work on batches. */
export function startBatches({ pool, fleet, now, events, queue, onProgress }: BatchContext): readonly Reconcile[] {
  const [batches, lines] = [createPgBatches(pool), createPgLines(pool)]
  const enqueueBatches = createRowNotifier(batchQueue, queue, (batchId) => ({ batchId }))
  const lineDeps = {
    lines,
    answer: (line: LeasedLine) => answerLine({ lines, inference: fleet.inference }, line),
    onDone: (batchId: string) => enqueueBatches([batchId]),
    onEvent: events.batchLine,
  }
  const lineWork: RowWork<typeof batchLineQueue, LeasedLine> = {
    queue: batchLineQueue,
    announced: ({ lineId }) => lineId,
    take: lines.take,
    process: (line) => doLine(lineDeps, line),
    workspaceOf: ({ batch }) => batch.workspaceId,
    concurrency: linesAtOnce,
    due: lines.overdue,
  }
  const batchDeps = { batches, lines, ...fleet, now, onEvent: events.batch }
  const batchWork: RowWork<typeof batchQueue, LeasedBatch> = {
    queue: batchQueue,
    announced: ({ batchId }) => batchId,
    take: batches.take,
    process: (batch) => advanceBatch(batchDeps, batch),
    workspaceOf: ({ workspaceId }) => workspaceId,
    concurrency: 2,
    due: batches.ready,
  }
  const worker = { ...queue, onProgress }
  return [startRowWorker(lineWork, worker), startRowWorker(batchWork, worker)]
}
