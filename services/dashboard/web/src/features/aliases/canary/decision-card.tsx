import { Text } from '@mantine/core'
import type { AliasGate } from '@ratchet/contracts/alias-gate'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Facts } from '../../../kit/facts.tsx'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { points } from '../../../pictures/canary-sentence.ts'
import { isSplit, isWatched } from '../alias-words.ts'
import styles from '../aliases.module.css'
import { useOpenAlias } from '../detail/alias-context.ts'
import { useFieldWords } from '../use-field-words.ts'
import { DrawnAnswers } from './drawn-answers.tsx'
import { PromoteButton } from './promote-button.tsx'

const modes = { recommend: 'recommends', auto: 'acts by itself' } as const

/** What the gate says, what it lacks, and the decision of a person. */
export function DecisionCard(): ReactNode {
  const { alias, gate } = useOpenAlias()
  const { plan, criterion_id: criterion, difference, graded_difference: graded } = gate
  if (gate.mode === null && !isSplit(alias)) return null
  return (
    <Card title="Decision" actions={<PromoteButton />}>
      <Text mb={12}>{gate.reason}</Text>
      <div className={styles.columns}>
        <Facts
          facts={[
            ['Gate', gate.mode === null ? 'none' : modes[gate.mode]],
            ...(criterion === null ? [] : ([['Judge', <JudgeLink key="judge" id={criterion} />]] as const)),
            ['Trust', gate.trust ?? 'not known'],
            ['Difference by verdicts', differenceText(difference)],
            ['Difference by grades', differenceText(graded)],
            ['Margin', `${points(gate.margin).replace('+', '')} points`],
          ]}
        />
        <Facts
          facts={[
            ['Evaluations', count(gate.looks)],
            ['Last evaluation', <TimeText key="looked" at={gate.looked_at} />],
            ['Split since', <TimeText key="started" at={gate.started_at} empty="no split" />],
            ['Must decide', <TimeText key="ends" at={gate.ends_at} empty="–" />],
            ...(plan === null || !isWatched(alias) ? [] : planFacts(plan)),
          ]}
        />
      </div>
      {plan !== null && isWatched(alias) && plan.missing.grades.target + plan.missing.grades.canary > 0 && (
        <DrawnAnswers name={alias.name} />
      )}
    </Card>
  )
}

function JudgeLink({ id }: { readonly id: string }): ReactNode {
  const slug = useWorkspaceSlug()
  const { judge } = useFieldWords()
  return (
    <Link to="/w/$slug/judges/$judge" params={{ slug, judge: id }}>
      {judge(id)}
    </Link>
  )
}

function differenceText(found: { readonly estimate: number; readonly cs: readonly [number, number] } | null): string {
  if (found === null) return 'too few answers'
  return `${points(found.estimate)} points [${points(found.cs[0])}, ${points(found.cs[1])}]`
}

function planFacts({ missing, ready_at: at, fits_window: fits, unit }: NonNullable<AliasGate['plan']>) {
  const noun = unit === 'trace' ? 'Runs' : 'Answers'
  const { scored, grades } = missing
  return [
    [`${noun} to score`, `${count(scored.target)} of the target, ${count(scored.canary)} of the canary`],
    ['Grades to give', `${count(grades.target)} of the target, ${count(grades.canary)} of the canary`],
    ['Proof expected', at === null ? 'not known without traffic' : <TimeText key="ready" at={at} />],
    ...(fits === false ? ([['Time', 'not enough at this pace']] as const) : []),
  ] as const
}
