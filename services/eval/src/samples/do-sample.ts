import { decideRetry, withLease } from '@ratchet/service-kit/with-lease'
import type { LeasedSample, SampleEnd, SampleStore } from './sample.ts'

export interface DoSampleDeps {
  readonly samples: SampleStore
  /** @throws WorkPostponed, or any other error when a retry may succeed */
  readonly evaluate: (sample: LeasedSample) => Promise<SampleEnd>
  /** Called when no sample of an eval is unfinished. */
  readonly onDone: (runId: string) => Promise<void>
  readonly onEvent: (event: SampleEvent) => void
}

export interface SampleEvent {
  readonly kind: 'done' | 'failed' | 'lost' | 'postponed' | 'retried' | 'poisoned'
  readonly sampleId: string
  readonly cause?: unknown
}

/**
 * Processes one sample, if it is unfinished. Concurrent calls for one sample are safe: the lease admits one of them, and
 * every model call is charged once.
 */
export async function doSample(deps: DoSampleDeps, sampleId: string): Promise<void> {
  const { samples, evaluate, onDone, onEvent } = deps
  const leased = await withLease(samples, sampleId, async (sample) => {
    try {
      const end = await evaluate(sample)
      const isSaved = await samples.complete(sample, end)
      onEvent({ kind: isSaved ? (end.failure === null ? 'done' : 'failed') : 'lost', sampleId })
    } catch (cause) {
      await release(deps, sample, cause)
    }
  })
  if (leased !== null && (await samples.isOver(leased.run.id))) await onDone(leased.run.id)
}

async function release({ samples, onEvent }: DoSampleDeps, sample: LeasedSample, cause: unknown): Promise<void> {
  const { kind, error, delayMs } = decideRetry(cause, sample.failures)
  const isDeadLettered = kind === 'poisoned'
  await samples.release(sample, { error, delayMs, isDeadLettered, countsAsFailure: kind !== 'postponed' })
  onEvent({ kind, sampleId: sample.id, cause })
}
