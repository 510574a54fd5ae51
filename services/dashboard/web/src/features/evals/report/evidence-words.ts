import {
  type EvalEvidence,
  type EvidenceProblem,
  type PeopleEvidence,
  provenWinRate,
} from '@ratchet/contracts/eval-evidence'
import type { State } from '../../../kit/state-mark.tsx'

export const problemWords: Readonly<Record<EvidenceProblem, string>> = {
  judge_unmeasured: 'no calibration has measured the judge',
  judge_untrusted: 'the judge was not trustworthy',
  judge_cannot_act: 'the judge could not act',
  judge_unreliable: 'the judge contradicts itself when the answers change places',
  judge_biased: 'the judge prefers answers by their place',
  too_few_samples: 'too few prompts have a verdict',
}

type Facts = Pick<EvalEvidence, 'win_rate_low' | 'is_exhausted'> & { readonly problems: readonly EvidenceProblem[] }

/** Whether an alias with the evidence policy may move to the candidate because of this eval. */
export function evidenceState({ problems, win_rate_low: low, is_exhausted: isExhausted }: Facts): {
  readonly word: string
  readonly state: State
} {
  if (problems.length > 0) return { word: 'no evidence', state: 'wrong' }
  if (isExhausted) return { word: 'used up', state: 'borderline' }
  return low !== null && low >= provenWinRate
    ? { word: 'proof', state: 'proven' }
    : { word: 'nothing proven', state: 'open' }
}

/** Whether an alias may move because of what people prefer. */
export function peopleState({ problems, win_rate_low: low }: Pick<PeopleEvidence, 'problems' | 'win_rate_low'>) {
  return evidenceState({ problems, win_rate_low: low, is_exhausted: false })
}
