import type { Preferred } from '@ratchet/contracts/eval-preferences'
import { finishedPrefix } from '../report/difference-of.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'

/** The first blind preference about a sample and a candidate, whoever gave it. */
export interface BlindPreference {
  /** As in measurements. */
  readonly place: string
  /** From 1. */
  readonly candidateIndex: number
  readonly preferred: Preferred
  /** The user who sent it; null for preferences of earlier releases. */
  readonly createdBy: string | null
}

/** A sample that counts, by people or because an answer is missing. */
export interface ComparedSample {
  readonly cluster: string
  readonly preferred: Preferred
  /** Null where an answer is missing, too. */
  readonly createdBy: string | null
}

/**
 * The samples that people have compared, in the order of the draw, up to the first one that nobody has. So whoever chooses
 * which samples to compare, or leaves one out, chooses nothing that counts. A model without an answer loses, and the candidate
 * loses a sample without a result; nobody needs to compare these.
 *
 * @param samples in the order of the draw
 * @param place index of the candidate
 */
export function comparedInOrder(
  samples: readonly MeasuredSample[],
  preferences: readonly BlindPreference[],
  place: number,
): readonly ComparedSample[] {
  const known = preferredByPlace(preferences, place)
  const found = finishedPrefix(samples).map(({ id, cluster, ...sample }) => {
    const certain = certainResult(sample, place)
    if (certain !== null) return { cluster, preferred: certain, createdBy: null }
    const { preferred = null, createdBy = null } = known.get(id) ?? {}
    return preferred === null ? null : { cluster, preferred, createdBy }
  })
  const open = found.indexOf(null)
  return (open === -1 ? found : found.slice(0, open)).filter((each) => each !== null)
}

/** Places, in the order of the draw, of the samples that nobody has compared blind, with the index among all samples. */
export function openSamples(
  samples: readonly MeasuredSample[],
  preferences: readonly BlindPreference[],
  place: number,
): readonly { readonly id: string; readonly index: number }[] {
  const known = preferredByPlace(preferences, place)
  return finishedPrefix(samples).flatMap((sample, index) =>
    certainResult(sample, place) === null && !known.has(sample.id) ? [{ id: sample.id, index }] : [],
  )
}

function preferredByPlace(
  preferences: readonly BlindPreference[],
  place: number,
): ReadonlyMap<string, BlindPreference> {
  const own = preferences.filter(({ candidateIndex }) => candidateIndex === place + 1)
  return new Map(own.map((each) => [each.place, each]))
}

/** Null when two answers can be compared. */
function certainResult({ answers, pairs }: Pick<MeasuredSample, 'answers' | 'pairs'>, place: number): Preferred | null {
  const [baseline, candidate] = [answers[0], answers[place + 1]]
  if (!baseline || !candidate || pairs[place] === undefined) return 'baseline'
  if (baseline.isAnswered && candidate.isAnswered) return null
  return candidate.isAnswered ? 'candidate' : 'baseline'
}
