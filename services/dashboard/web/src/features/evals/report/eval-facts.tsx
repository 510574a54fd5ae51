import type { Eval } from '@ratchet/contracts/evals'
import type { ReactNode } from 'react'
import { Facts } from '../../../kit/facts.tsx'
import { addMoney, billText, microOfUsd, moneyText, nanoOfUsd } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { questionText, statusOf } from '../words.ts'

/** What was asked, of whom, on which prompts. */
export function EvalFacts({ each }: { readonly each: Eval }): ReactNode {
  const { judge_models: panel, judge_model: judge, judge_trust: trust, sample_filters: filters } = each
  const judges = panel.length > 1 ? `a panel of ${panel.join(', ')}` : judge
  const cost = billText(addMoney([nanoOfUsd(each.cost_usd), nanoOfUsd(each.judge_cost_usd)]))
  const { word, state } = statusOf(each)
  const from = Object.entries(filters).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
  return (
    <Card title="How it was asked">
      <Facts
        facts={[
          [
            'Status',
            <StateLabel key="status" state={state}>
              {word}
            </StateLabel>,
          ],
          ['Question', questionText(each)],
          ['Baseline', each.baseline_model],
          ['Candidates', each.candidate_models.join(', ')],
          ['Judge', `${judges}${trust === null ? ', not measured' : `, ${trust} when it began`}`],
          ...(each.judge_cannot_act_reason === null
            ? []
            : [['No evidence, because', each.judge_cannot_act_reason] as const]),
          ['Prompts', from.length === 0 ? 'the whole log' : from.join(', ')],
          ['Samples', `${count(each.sample_count)}, ${each.repetitions} for each prompt, seed ${each.seed}`],
          [
            'Cost',
            `${cost}${each.max_cost_usd === null ? '' : `, at most ${moneyText(microOfUsd(each.max_cost_usd))}`}`,
          ],
          ['Started', <TimeText key="at" at={each.created_at} />],
          ['Ended', <TimeText key="end" at={each.finished_at} empty="not yet" />],
        ]}
      />
      {each.rubric !== null && (
        <details style={{ marginTop: 12 }}>
          <summary>What the judge was asked</summary>
          <p style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{each.rubric}</p>
        </details>
      )}
    </Card>
  )
}
