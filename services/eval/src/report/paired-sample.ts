import type { CandidateReport } from '@ratchet/contracts/eval-report'
import type { PairwiseCounts } from '@ratchet/stats/win-rate'
import { type JudgedPair, type PairOutcome, type Preference, pairOutcome } from '../judging/pair-verdict.ts'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'

/** The baseline's and one candidate's part of a sample. */
export interface PairedSample {
  readonly id: string
  readonly cluster: string
  readonly baseline: MeasuredAnswer
  readonly candidate: MeasuredAnswer
  readonly pair: JudgedPair
}

/** The processed samples, for the candidate at this place. */
export function pairSamples(samples: readonly MeasuredSample[], place: number): readonly PairedSample[] {
  return samples.flatMap(({ id, cluster, answers, pairs }) => {
    const [baseline] = answers
    const candidate = answers[place + 1]
    const pair = pairs[place]
    return baseline && candidate && pair ? [{ id, cluster, baseline, candidate, pair }] : []
  })
}

/**
 * The result of a sample for the candidate. A model that gives no answer loses the sample, because a user would have got
 * none. `error` when both gave none, or when the judge gave no verdict on two answers.
 */
export function outcomeOf({
  baseline,
  candidate,
  pair,
}: Pick<PairedSample, 'baseline' | 'candidate' | 'pair'>): PairOutcome {
  if (pair.kind === 'judged' || baseline.isAnswered === candidate.isAnswered) return pairOutcome(pair)
  return candidate.isAnswered ? 'win' : 'loss'
}

/** Samples without a result are not counted. */
export function countOutcomes(samples: readonly PairedSample[]): PairwiseCounts {
  const outcomes = samples.map(outcomeOf)
  const count = (kind: PairOutcome) => outcomes.filter((outcome) => outcome === kind).length
  return { wins: count('win'), ties: count('tie'), losses: count('loss') }
}

/** Results that one of the two models lost by giving no answer. */
export function countErrors(samples: readonly PairedSample[]): Pick<CandidateReport, 'won_by_error' | 'lost_by_error'> {
  const errors = countOutcomes(samples.filter(({ pair }) => pair.kind !== 'judged'))
  return { won_by_error: errors.wins, lost_by_error: errors.losses }
}

/** The counts of each prompt or agent run. */
export function countByCluster(samples: readonly PairedSample[]): readonly PairwiseCounts[] {
  return [...Map.groupBy(samples, ({ cluster }) => cluster).values()].map(countOutcomes)
}

/** The preferences in both orders of each judged pair; of a panel, those of every judge. */
export function preferencesOf(samples: readonly PairedSample[]): readonly (readonly [Preference, Preference])[] {
  return samples.flatMap(({ pair }) => (pair.kind === 'judged' ? (pair.ofJudges ?? [pair.preferences]) : []))
}

/** Whether both models answered, so that costs and latencies can be compared. */
export function isAnsweredTwice({ baseline, candidate }: PairedSample): boolean {
  return baseline.isAnswered && candidate.isAnswered
}
