import { getGatePlan } from '@ratchet/contracts/alias-gate'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useSettled } from '../../../api/use-settled.ts'
import { count } from '../../../kit/numbers.ts'
import { Notice } from '../../../kit/states/notice.tsx'
import { duration } from '../../../kit/time.ts'
import type { AliasValues } from './alias-values.ts'
import { gateCostText } from './gate-cost-text.ts'

const hourMs = 3_600_000

interface GatePlanLineProps {
  readonly name: string
  readonly values: AliasValues
}

/** What the gate of the form would need, by the traffic of the alias. */
export function GatePlanLine({ name, values }: GatePlanLineProps): ReactNode {
  // A new question only when nothing was typed for a moment.
  const text = useSettled(JSON.stringify(questionOf(values)), 400)
  const asked = JSON.parse(text) as ReturnType<typeof questionOf>
  const query = getGatePlan.query.safeParse(asked)
  const plan = useEndpoint(getGatePlan, { params: { name }, query: asked }, { enabled: query.success, keepsOld: true })
  const found = plan.data?.plan
  if (!query.success || found === undefined) return null
  const { scored, grades, hours, fits_window: fits } = found
  const graded = [grades.target, grades.canary].reduce((sum, { fails, passes }) => sum + fails + passes, 0)
  const unit = found.unit === 'trace' ? 'runs' : 'answers'
  return (
    <Notice state={fits === false ? 'borderline' : 'none'}>
      To prove an equal canary this gate needs {count(scored.target + scored.canary)} scored {unit} and about{' '}
      {count(graded)} grades
      {hours === null
        ? '; how long that takes is not known without traffic'
        : `, ${duration(hours * hourMs)} of traffic`}
      {fits === false && ', which is more than it has'}. {gateCostText(found.cost)}
    </Notice>
  )
}

function questionOf(values: AliasValues) {
  return {
    canary_percent: String(values.canary_percent),
    gate_rollback_threshold: String(Number(values.margin) / 100),
    gate_confidence: String(Number(values.confidence) / 100),
    gate_min_samples_per_arm: String(values.gate_min_samples_per_arm),
    gate_window_hours: String(values.gate_window_hours),
    gate_criterion_id: values.gate_criterion_id,
  }
}
