import type { PairwiseCounts } from '@ratchet/stats/win-rate'
import { type JudgedPair, type Preference, pairOutcome } from '../judging/pair-verdict.ts'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'

/** The baseline's and one candidate's part of a sample. */
export interface PairedSample {
  readonly cluster: string
  readonly baseline: MeasuredAnswer
  readonly candidate: MeasuredAnswer
  readonly pair: JudgedPair
}

/** The processed samples, for the candidate at this place. */
export function pairSamples(samples: readonly MeasuredSample[], place: number): readonly PairedSample[] {
  return samples.flatMap(({ cluster, answers, pairs }) => {
    const [baseline] = answers
    const candidate = answers[place + 1]
    const pair = pairs[place]
    return baseline && candidate && pair ? [{ cluster, baseline, candidate, pair }] : []
  })
}

/** Pairs without a verdict are not counted. */
export function countOutcomes(samples: readonly PairedSample[]): PairwiseCounts {
  const outcomes = samples.map(({ pair }) => pairOutcome(pair))
  const count = (kind: string) => outcomes.filter((outcome) => outcome === kind).length
  return { wins: count('win'), ties: count('tie'), losses: count('loss') }
}

/** The preferences in both orders of each judged pair; of a panel, those of every judge. */
export function preferencesOf(samples: readonly PairedSample[]): readonly (readonly [Preference, Preference])[] {
  return samples.flatMap(({ pair }) => (pair.kind === 'judged' ? (pair.ofJudges ?? [pair.preferences]) : []))
}

/** Whether both models answered, so that costs and latencies can be compared. */
export function isAnsweredTwice({ baseline, candidate }: PairedSample): boolean {
  return baseline.isAnswered && candidate.isAnswered
}
