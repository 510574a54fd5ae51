import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { type MeasuredSample, outcomeOf } from '../measured-sample.ts'

/** Agent runs of which every step was judged for the candidate at this place, and those in which it lost none. */
export function countRuns(
  samples: readonly MeasuredSample[],
  place: number,
): Pick<CandidateReport, 'runs_total' | 'runs_clean'> {
  const steps = samples.flatMap(({ traceId, pairs }) => {
    const pair = pairs[place]
    return traceId === null ? [] : [{ traceId, outcome: pair === undefined ? 'error' : outcomeOf(pair) }]
  })
  const runs = [...Map.groupBy(steps, ({ traceId }) => traceId).values()]
  const judged = runs.filter((run) => run.every(({ outcome }) => outcome !== 'error'))
  const clean = judged.filter((run) => run.every(({ outcome }) => outcome !== 'loss'))
  return { runs_total: judged.length, runs_clean: clean.length }
}
