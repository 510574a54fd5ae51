import { decideRetry, withLease } from '@ratchet/service-kit/with-lease'
import type { LeasedSample, SampleEnd, SampleStore } from './sample.ts'

export interface DoSampleDeps {
  readonly samples: SampleStore
  /** @throws WorkPostponed, or anything else when it may succeed later */
  readonly evaluate: (sample: LeasedSample) => Promise<SampleEnd>
  /** Hears when an eval may go on. */
  readonly onDone: (runId: string) => Promise<void>
  readonly onEvent: (event: SampleEvent) => void
}

export interface SampleEvent {
  readonly kind: 'done' | 'failed' | 'lost' | 'postponed' | 'retried' | 'poisoned'
  readonly sampleId: string
  readonly cause?: unknown
}

/**
 * Does one sample, if it is still to be done. May be called twice for one, at the same time too: one of the calls does
 * it, and every charge is made once either way.
 */
export async function doSample(deps: DoSampleDeps, sampleId: string): Promise<void> {
  const { samples, evaluate, onDone, onEvent } = deps
  const leased = await withLease(samples, sampleId, async (sample) => {
    try {
      const end = await evaluate(sample)
      const kept = await samples.complete(sample, end)
      onEvent({ kind: kept ? (end.failure === null ? 'done' : 'failed') : 'lost', sampleId })
    } catch (cause) {
      await giveBack(deps, sample, cause)
    }
  })
  if (leased !== null && (await samples.isOver(leased.run.id))) await onDone(leased.run.id)
}

async function giveBack({ samples, onEvent }: DoSampleDeps, sample: LeasedSample, cause: unknown): Promise<void> {
  const { kind, error, delayMs } = decideRetry(cause, sample.failures)
  const isPoisoned = kind === 'poisoned'
  await samples.release(sample, { error, delayMs, isPoisoned, countsAsFailure: kind !== 'postponed' })
  onEvent({ kind, sampleId: sample.id, cause })
}
