import { type AttemptEnd, processItem } from '@ratchet/work-kit/leases/process-item'
import type { LeasedLine, LineEnd } from './batch.ts'
import type { LineStore } from './batch-store.ts'

export interface DoLineDeps {
  readonly lines: LineStore
  /** @throws WorkPostponed, or any other error when a retry may succeed */
  readonly answer: (line: LeasedLine) => Promise<LineEnd>
  /** Called when no line of a batch is unfinished. */
  readonly onDone: (batchId: string) => Promise<void>
  readonly onEvent: (event: LineEvent) => void
}

export interface LineEvent {
  readonly kind: 'answered' | 'refused' | 'lost' | 'postponed' | 'retried' | 'dead_lettered'
  readonly lineId: string
  readonly cause?: unknown
}

/** Processes one request of a batch that this process has leased. */
export async function doLine({ lines, answer, onDone, onEvent }: DoLineDeps, leased: LeasedLine): Promise<void> {
  const work = {
    items: lines,
    process: answer,
    complete: lines.complete,
    onEnd: (end: AttemptEnd<LineEnd>) => onEvent(eventOf(leased.id, end)),
  }
  const line = await processItem<LeasedLine, LineEnd>(work, leased)
  if (line !== null && (await lines.isOver(line.batch))) await onDone(line.batch.id)
}

function eventOf(lineId: string, end: AttemptEnd<LineEnd>): LineEvent {
  if (end.kind !== 'completed') return { ...end, lineId }
  return { kind: 'error' in end.outcome || end.outcome.statusCode !== 200 ? 'refused' : 'answered', lineId }
}
