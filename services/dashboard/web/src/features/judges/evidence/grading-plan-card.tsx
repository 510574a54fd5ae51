import { Button, Group, Select } from '@mantine/core'
import { type GradingForecast, nextToGrade } from '@ratchet/contracts/scans'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { GradingPlan } from '../../../pictures/grading-plan.tsx'
import { type GradingPlanFacts, stratumLabel } from '../../../pictures/grading-plan-sentence.ts'
import { useJudge } from '../detail/judge-context.ts'

const strategies = [
  { value: 'plan', label: 'Where a grade proves most' },
  { value: 'balanced', label: 'As many failed as passed' },
  { value: 'disagreement', label: 'Where verdicts differ' },
  { value: 'random', label: 'At random' },
] as const
type Strategy = (typeof strategies)[number]['value']

/**
 * How many more grades it takes until the judge may act, and of which answers. The API offers an answer with its plan, so the
 * plan is read only when a person asks for it.
 */
export function GradingPlanCard(): ReactNode {
  const { id } = useJudge()
  const [strategy, setStrategy] = useState<Strategy>('plan')
  const [asks, setAsks] = useState(false)
  const reason = reasonAgainst('grader', useWorkspace())
  const query = { limit: '1', strategy } as const
  const next = useEndpoint(nextToGrade, { params: { id }, query }, { enabled: asks, readsOnce: true })
  return (
    <Card title="What to grade next">
      <Group gap={8} align="end">
        <Select
          label="Answers"
          data={[...strategies]}
          allowDeselect={false}
          w={260}
          maw="100%"
          value={strategy}
          onChange={(value) => setStrategy((value ?? 'plan') as Strategy)}
        />
        {!asks && (
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button variant="default" disabled={disabled} onClick={() => setAsks(true)}>
                Plan the grades
              </Button>
            )}
          </NotPermitted>
        )}
      </Group>
      {asks && (
        <Loaded query={next}>
          {({ plan, strategy: used }) => (
            <>
              {used !== strategy && (
                <p className="dimmed">The judge has no verdicts yet, so the answers are drawn at random.</p>
              )}
              {plan === null ? <p>No answer is left to grade.</p> : <GradingPlan {...factsOf(plan)} />}
            </>
          )}
        </Loaded>
      )}
    </Card>
  )
}

const reasons: Readonly<Record<NonNullable<GradingForecast['reason']>, string>> = {
  not_measured: 'nothing is known of one of its rates yet; grade some answers, then calibrate',
  below_bar: 'a rate is proven to be below the bar; improve the prompt of the judge',
  frame_too_small: 'too few answers are left to grade',
  too_many_grades: '1,000 more are not enough',
}

function factsOf(plan: GradingForecast): GradingPlanFacts {
  const { curve, chance, grades_needed: needed, reason, order } = plan
  return {
    minutes: plan.minutes_needed,
    costUsd: plan.cost_usd_needed,
    points: curve.map((at) => ({ grades: at.grades, trustworthy: at.p_trustworthy, mayAct: at.p_can_act })),
    chance,
    needed,
    reason: reason === null ? null : reasons[reason],
    parts: order.map(({ stratum, grades }) => ({ label: stratumLabel(stratum), grades })),
  }
}
