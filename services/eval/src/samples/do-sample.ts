import { type AttemptEnd, type ItemWork, processItem } from '@ratchet/work-kit/leases/process-item'
import type { LeasedSample, SampleEnd, SampleStore } from './sample.ts'

export interface DoSampleDeps {
  readonly samples: SampleStore
  /** @throws WorkPostponed, or any other error when a retry may succeed */
  readonly evaluate: (sample: LeasedSample) => Promise<SampleEnd>
  /** Called after each attempt at a sample, before the eval is checked for its end. */
  readonly afterSample: (sample: LeasedSample) => Promise<void>
  /** Called when no sample of an eval is unfinished. */
  readonly onDone: (runId: string) => Promise<void>
  readonly onEvent: (event: SampleEvent) => void
}

export interface SampleEvent {
  readonly kind: 'done' | 'failed' | 'lost' | 'postponed' | 'retried' | 'dead_lettered'
  readonly sampleId: string
  readonly cause?: unknown
}

/**
 * Processes one sample, if it is due. Concurrent calls for one sample are safe: the lease admits one of them, and
 * every model call is charged once.
 *
 * @param due the id of a sample, or one that this process has just leased
 */
export async function doSample(deps: DoSampleDeps, due: string | LeasedSample): Promise<void> {
  const { samples, evaluate, afterSample, onDone, onEvent } = deps
  const sampleId = typeof due === 'string' ? due : due.id
  const work: ItemWork<LeasedSample, SampleEnd> = {
    items: samples,
    process: evaluate,
    complete: samples.complete,
    onEnd: (end) => onEvent(eventOf(sampleId, end)),
  }
  const sample = await processItem(work, due)
  if (sample === null) return
  await afterSample(sample)
  if (await samples.isOver(sample.run.id)) await onDone(sample.run.id)
}

function eventOf(sampleId: string, end: AttemptEnd<SampleEnd>): SampleEvent {
  if (end.kind !== 'completed') return { ...end, sampleId }
  return { kind: end.outcome.failure === null ? 'done' : 'failed', sampleId }
}
