import { levelOf } from '../gate/weigh-evidence.ts'
import { askedBy, isConclusive } from '../report/difference-of.ts'
import type { LeasedSample, SampleStore } from '../samples/sample.ts'
import type { EvalStore } from './eval-store.ts'

export interface StopEvalDeps {
  readonly evals: Pick<EvalStore, 'skipPending'>
  readonly samples: Pick<SampleStore, 'measured' | 'countFinished'>
}

/** Minimum finished samples before a sequence can be conclusive. */
const minFinished = 50
/** Finished samples between two evaluations. More evaluations would be as valid, but each one reads all samples. */
const everySamples = 5
/** Error rate of the first attempt as evidence, on both sides, so that an eval which stops can also be a proof. */
const stoppingAlpha = 2 * levelOf(1)

/** After a sample: skips the remaining ones when the eval may stop early and its question is answered. */
export async function stopWhenConclusive({ evals, samples }: StopEvalDeps, { run }: LeasedSample): Promise<void> {
  if (run.request.stop_when !== 'conclusive') return
  const finished = await samples.countFinished(run.id)
  if (finished < minFinished || finished % everySamples !== 0) return
  const asked = { ...askedBy(run.request), alpha: stoppingAlpha }
  if (isConclusive(await samples.measured(run.id), asked)) await evals.skipPending(run)
}
