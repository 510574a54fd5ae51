import type { Verdict } from '@ratchet/contracts/criteria'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import type { MeasuredRow } from './measured-row.ts'

/** Rows with these counts, all with one sampling probability. */
export function confusionRows({ tp, fn, fp, tn }: ConfusionCounts, samplingProbability = 1): MeasuredRow[] {
  const rows = (count: number, human: Verdict, verdict: Verdict) =>
    Array.from({ length: count }, () => ({ human, verdict, samplingProbability }))
  return [
    ...rows(tp, 'fail', 'fail'),
    ...rows(fn, 'fail', 'pass'),
    ...rows(fp, 'pass', 'fail'),
    ...rows(tn, 'pass', 'pass'),
  ]
}
