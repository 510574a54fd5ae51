import type { EvalPreference } from '@ratchet/contracts/eval-preferences'
import type { EvalOutcome } from '@ratchet/contracts/evals'

export type Side = 'left' | 'right'

/**
 * Where the candidate is shown without names. It depends on the sample and the candidate alone, so that a page loaded again shows
 * the same, and neither model, nor the baseline of several candidates, is always on one side.
 */
export function candidateSide(sampleId: string, candidate: string): Side {
  let hash = 0x811c9dc5
  for (const letter of `${sampleId} ${candidate}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  return ((hash >>> 0) ^ (hash >>> 16)) % 2 === 0 ? 'left' : 'right'
}

/** The preference that a chosen side means. */
export function preferenceOf(
  { sampleId, candidate }: { readonly sampleId: string; readonly candidate: string },
  chosen: Side | 'neither',
): EvalPreference['preference'] {
  if (chosen === 'neither') return 'tie'
  return chosen === candidateSide(sampleId, candidate) ? 'candidate' : 'baseline'
}

export interface Agreement {
  /** Number of samples that the person chose in and the judge judged. */
  readonly compared: number
  readonly agreed: number
}

interface Choices {
  readonly grader: string
  readonly candidate: string
  /** Newest first. */
  readonly preferences: readonly EvalPreference[]
  /** By sample. */
  readonly outcomes: ReadonlyMap<string, EvalOutcome>
}

const meaning: Record<EvalPreference['preference'], EvalOutcome> = { candidate: 'win', baseline: 'loss', tie: 'tie' }

/** How often the judge says what a person chose; the latest choice about a sample counts. */
export function agreementOf({ grader, candidate, preferences, outcomes }: Choices): Agreement {
  const own = preferences.filter((each) => each.grader_id === grader && each.candidate === candidate)
  const latest = own.filter((each, at) => own.findIndex(({ sample_id: id }) => id === each.sample_id) === at)
  const compared = latest.filter(({ sample_id: id }) => (outcomes.get(id) ?? 'error') !== 'error')
  const agreed = compared.filter((each) => outcomes.get(each.sample_id) === meaning[each.preference])
  return { compared: compared.length, agreed: agreed.length }
}
