import { type EvalEvidence, type PeopleEvidence, provenWinRate } from '@ratchet/contracts/eval-evidence'
import type { ReactNode } from 'react'
import { count, percent } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EvidenceWear } from '../../../pictures/evidence-wear.tsx'
import { evidenceState, peopleState, problemWords } from './evidence-words.ts'

interface EvidencePartProps {
  readonly model: string
  readonly evidence: EvalEvidence
}

/** What an eval proves to the evidence policy of an alias, and how far earlier evals on the same prompts have used it up. */
export function EvidencePart({ model, evidence }: EvidencePartProps): ReactNode {
  const { problems, attempt, prompt_uses: uses, prompt_uses_max: most, prompts_needed: needed } = evidence
  const { word, state } = evidenceState(evidence)
  return (
    <Card title={`${model} as evidence`}>
      <p>
        <StateLabel state={state}>{word}</StateLabel>{' '}
        {problems.length > 0 && problems.map((problem) => problemWords[problem]).join('; ')}
      </p>
      {evidence.people && <ByPeople found={evidence.people} />}
      <EvidenceWear
        model={model}
        points={evidence.wear.map(({ prompt_uses, win_rate_low: low }) => ({ uses: prompt_uses, low }))}
        uses={uses}
        low={evidence.win_rate_low}
        lowIfFresh={evidence.win_rate_low_if_fresh}
        usedUp={evidence.used_up}
        bar={provenWinRate}
      />
      <p className="dimmed">
        Whoever knows earlier results on the same prompts can find a candidate that fits them by chance, so each earlier
        comparison makes the proof weaker.
        {most !== null && ` These results are a proof up to ${count(most)} of them.`}
        {attempt > 1 && ` This is attempt ${count(attempt)} at these two models in 30 days, which counts too.`}
        {evidence.is_exhausted &&
          needed !== null &&
          ` An eval on about ${count(needed)} fresh prompts may prove it again.`}
      </p>
    </Card>
  )
}

/** What people who compared the answers blind prove, whatever the judge is worth. */
function ByPeople({ found }: { readonly found: PeopleEvidence }): ReactNode {
  const { word, state } = peopleState(found)
  const { compared, win_rate: rate, win_rate_low: low } = found
  return (
    <p>
      <StateLabel state={state}>{word}</StateLabel> By people who compared {count(compared)} samples blind, in the order
      of the draw{rate !== null && `: win rate ${percent(rate)}`}
      {low !== null && `, lower bound ${percent(low)}`}.
    </p>
  )
}
