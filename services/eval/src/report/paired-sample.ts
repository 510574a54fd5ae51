import type { PairwiseCounts } from '@ratchet/stats/win-rate'
import {
  type JudgedPair,
  type MeasuredAnswer,
  type MeasuredSample,
  outcomeOf,
  type Preference,
} from '../samples/measured-sample.ts'

/** A sample as far as it concerns one candidate. */
export interface PairedSample {
  readonly cluster: string
  readonly baseline: MeasuredAnswer
  readonly candidate: MeasuredAnswer
  readonly pair: JudgedPair
}

/** The samples that were tried, for the candidate at this place among the candidates. */
export function pairSamples(samples: readonly MeasuredSample[], place: number): readonly PairedSample[] {
  return samples.flatMap(({ cluster, answers, pairs }) => {
    const [baseline] = answers
    const candidate = answers[place + 1]
    const pair = pairs[place]
    return baseline && candidate && pair ? [{ cluster, baseline, candidate, pair }] : []
  })
}

/** Wins, losses and ties; pairs without a verdict are none of them. */
export function countOutcomes(samples: readonly PairedSample[]): PairwiseCounts {
  const outcomes = samples.map(({ pair }) => outcomeOf(pair))
  const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length
  return { wins: count('win'), ties: count('tie'), losses: count('loss') }
}

/** What the judge said of each pair that was judged. */
export function looksOf(samples: readonly PairedSample[]): readonly (readonly [Preference, Preference])[] {
  return samples.flatMap(({ pair }) => (pair.kind === 'judged' ? [pair.looks] : []))
}

/** Whether both models answered, so that costs and latencies can be compared. */
export function isAnsweredTwice({ baseline, candidate }: PairedSample): boolean {
  return baseline.isAnswered && candidate.isAnswered
}
