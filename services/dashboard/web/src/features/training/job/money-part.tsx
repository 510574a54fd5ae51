import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'
import type { ReactNode } from 'react'
import { billText, microOfUsd, moneyText, nanoOfUsd } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { CostBar } from '../../../pictures/cost-bar.tsx'
import { Figures } from '../figures.tsx'

/** What a job has cost, against what it holds, what it was estimated to cost, and its maximum. */
export function MoneyPart({ job }: { readonly job: FineTuningJob }): ReactNode {
  const { max_cost_usd: most, trained_tokens: trained, training_tokens: all, tokens_exact: isExact } = job
  const charged = microOfUsd(job.cost_usd)
  const held = microOfUsd(job.held_usd)
  const estimate = microOfUsd(job.estimated_cost_usd)
  const maximum = most === null ? null : microOfUsd(most)
  return (
    <Card title="Cost">
      <div style={{ display: 'grid', gap: 12 }}>
        <CostBar charged={charged} held={held} estimate={estimate} maximum={maximum} />
        <Figures
          label="Cost of the job"
          figures={[
            ['Charged', <strong key="charged">{billText(nanoOfUsd(job.cost_usd))}</strong>],
            ['Held', moneyText(held)],
            ['Estimate', moneyText(estimate)],
            ['At most', maximum === null ? 'no limit but the hold' : moneyText(maximum)],
            ['Trained tokens', `${count(trained ?? 0)} of ${isExact ? '' : 'about '}${count(all)}`],
          ]}
        />
        <p className="dimmed" style={{ margin: 0 }}>
          Only tokens until the last stored checkpoint are charged. What is held and not used is released.
        </p>
      </div>
    </Card>
  )
}
