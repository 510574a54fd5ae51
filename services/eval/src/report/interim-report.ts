import type { EvalInterim } from '@ratchet/contracts/eval-question'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { type AskedQuestion, differenceOf, finishedPrefix } from './difference-of.ts'

/** Results of an eval that still runs. They are read at any time, so they are always confidence sequences. */
export function interimReport(
  samples: readonly MeasuredSample[],
  { asked, candidateModels }: { readonly asked: AskedQuestion; readonly candidateModels: readonly string[] },
): EvalInterim {
  const sequential = { ...asked, isSequential: true }
  return {
    samples: finishedPrefix(samples).length,
    candidates: Object.fromEntries(
      candidateModels.map((model, place) => [model, differenceOf(samples, place, sequential)]),
    ),
  }
}
