import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { type MeasuredSample, outcomeOf } from '../samples/measured-sample.ts'

/** What a step of an agent run came to for a candidate: an unknown one has no verdict, through no fault of its. */
type Step = 'kept' | 'lost' | 'unknown'

/**
 * Agent runs of which every step is known for the candidate at this place, and those in which it lost none. A step that
 * it did not answer is lost: nobody drives a run on from there.
 */
export function countRuns(
  samples: readonly MeasuredSample[],
  place: number,
): Pick<CandidateReport, 'runs_total' | 'runs_clean'> {
  const steps = samples.flatMap((sample) =>
    sample.traceId === null ? [] : [{ traceId: sample.traceId, step: stepOf(sample, place) }],
  )
  const runs = [...Map.groupBy(steps, ({ traceId }) => traceId).values()]
  const known = runs.filter((run) => run.every(({ step }) => step !== 'unknown'))
  const clean = known.filter((run) => run.every(({ step }) => step === 'kept'))
  return { runs_total: known.length, runs_clean: clean.length }
}

function stepOf({ answers, pairs }: MeasuredSample, place: number): Step {
  const pair = pairs[place]
  if (pair === undefined) return 'unknown'
  if (answers[place + 1]?.isAnswered === false) return 'lost'
  if (pair.kind !== 'judged') return 'unknown'
  return outcomeOf(pair) === 'loss' ? 'lost' : 'kept'
}
