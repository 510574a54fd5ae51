import type { Verdict } from '@ratchet/contracts/criteria'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import type { MeasuredRow } from './measure-judge.ts'

/** So many rows of each cell, all of one weight. */
export function confusionRows({ tp, fn, fp, tn }: ConfusionCounts, weight = 1): MeasuredRow[] {
  const rows = (count: number, human: Verdict, verdict: Verdict) =>
    Array.from({ length: count }, () => ({ human, verdict, weight }))
  return [
    ...rows(tp, 'fail', 'fail'),
    ...rows(fn, 'fail', 'pass'),
    ...rows(fp, 'pass', 'fail'),
    ...rows(tn, 'pass', 'pass'),
  ]
}
